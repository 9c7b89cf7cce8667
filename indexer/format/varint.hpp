// Variable-length integers, 7 bits a byte, low bits first, for the lexicon.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {

inline void append_varint(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

/// Reads bytes in [next, end) and throws FormatError rather than pass the end.
struct ByteCursor {
  const std::uint8_t* next;
  const std::uint8_t* end;

  std::uint64_t left() const { return static_cast<std::uint64_t>(end - next); }

  const std::uint8_t* take(std::uint64_t count) {
    if (count > left()) throw FormatError("the lexicon ends within an entry; rebuild the index");
    const std::uint8_t* bytes = next;
    next += count;
    return bytes;
  }

  std::uint8_t byte() { return *take(1); }

  std::uint64_t varint() {
    return left() < kMostVarintBytes ? varint_of([this] { return byte(); })
                                     : varint_of([this] { return *next++; });
  }

 private:
  static constexpr std::uint64_t kMostVarintBytes = 10;

  template <class NextByte>
  static std::uint64_t varint_of(NextByte next_byte) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t group = next_byte();
      value |= (group & 0x7F) << shift;
      if (group < 0x80) return value;
    }
    throw FormatError("the lexicon holds a number of more than 64 bits; rebuild the index");
  }
};

}  // namespace warpdex
