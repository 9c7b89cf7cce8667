// The checksum of every section on disk: XXH3, 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace warpdex {

/// XXH3-64 of `bytes`.
std::uint64_t checksum(std::span<const std::uint8_t> bytes);

/// The same over bytes that arrive in pieces.
class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  RunningChecksum(RunningChecksum&&) noexcept;
  RunningChecksum& operator=(RunningChecksum&&) noexcept;
  void add(std::span<const std::uint8_t> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
