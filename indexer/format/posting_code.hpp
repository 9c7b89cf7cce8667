// The code of postings in memory and in runs: per posting the gap from the docID before (from 0
// for the first) and whether the frequency is 1, as one number; the frequency follows if it is
// not 1. With positions, as many steps follow: the first position, then the differences to the ones
// before. Numbers take 7 bits a byte, low bits first. Written and read by one process: not checked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::build {

/// Most bytes that one posting takes, without positions.
inline constexpr std::size_t kMaxPostingBytes = 10;

inline std::uint8_t* write_varint(std::uint8_t* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<std::uint8_t>(value | 0x80);
  *out++ = static_cast<std::uint8_t>(value);
  return out;
}

inline const std::uint8_t* read_varint(const std::uint8_t* next, std::uint64_t& value) {
  value = *next & 0x7F;
  for (unsigned shift = 7; *next++ >= 0x80; shift += 7) {
    value |= static_cast<std::uint64_t>(*next & 0x7F) << shift;
  }
  return next;
}

/// Writes up to kMaxPostingBytes; returns the end of what was written.
inline std::uint8_t* write_posting(std::uint8_t* out, std::uint32_t gap, std::uint32_t frequency) {
  const std::uint64_t code = (std::uint64_t{gap} << 1) | (frequency == 1 ? 1 : 0);
  out = write_varint(out, code);
  return frequency == 1 ? out : write_varint(out, frequency);
}

/// Walks the postings in [next, end).
struct PostingCursor {
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;
  bool has_positions = false;
  std::uint32_t document = 0;
  std::uint32_t frequency = 0;
  /// Of the posting, with positions: `frequency` varints in [steps, next).
  const std::uint8_t* steps = nullptr;

  /// Moves to the next posting (the first one, at the start); false at the end.
  bool advance() {
    if (next == end) return false;
    std::uint64_t value = 0;
    next = read_varint(next, value);
    document += static_cast<std::uint32_t>(value >> 1);
    frequency = 1;
    if ((value & 1) == 0) {
      next = read_varint(next, value);
      frequency = static_cast<std::uint32_t>(value);
    }
    if (has_positions) pass_steps();
    return true;
  }

  void pass_steps() {
    steps = next;
    for (std::uint32_t i = 0; i < frequency; ++next) i += *next < 0x80 ? 1 : 0;
  }
};

}  // namespace warpdex::build
