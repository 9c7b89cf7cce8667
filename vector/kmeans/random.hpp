// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace warpdex::vector {

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  /// A number below `end`, which is 1 or more.
  std::uint64_t below(std::uint64_t end) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits_()) * end >> 64);
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace warpdex::vector
