// The checksum of every section on disk: XXH3, 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace warpdex {

/// XXH3-64 of `bytes`.
std::uint64_t checksum(std::span<const std::uint8_t> bytes);

/// The same over bytes that arrive in pieces. Move-only.
class RunningChecksum {
 public:
  /// Of no bytes yet.
  RunningChecksum();
  ~RunningChecksum();
  RunningChecksum(RunningChecksum&&) noexcept;
  RunningChecksum& operator=(RunningChecksum&&) noexcept;

  /// Continues with the next piece, of any size.
  void add(std::span<const std::uint8_t> bytes);
  /// The checksum of all pieces so far; more may follow.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
