// Finds the parts of a `pfor` list's tail on the GPU. codecs/pfor_exceptions.hpp is the host's
// side; docs/codecs.md has the grammar. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/device/warp.cuh"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::device::pfor {

using warpdex::pfor::kCountGroup;
using warpdex::pfor::kPositionWidth;

/// A list's bytes, addressed by 32-bit offsets: pointers to all parts of a tail would take too
/// many registers. No list takes 4 GiB.
struct Bytes {
  const std::uint8_t* start;

  __device__ __forceinline__ std::uint32_t byte(std::uint32_t offset) const {
    return __ldg(start + offset);
  }
  __device__ __forceinline__ std::uint32_t word(std::uint32_t offset) const {
    return read32(start + offset, 0);
  }
};

/// The exceptions of `blocks` blocks of values, compressed with `levels` levels of recursion.
struct Tail {
  std::uint32_t at;
  std::uint32_t blocks;
  std::uint32_t levels;
};

/// One of the two arrays of a tail: packed values, which may have exceptions themselves.
struct Array {
  std::uint32_t packed;
  std::uint32_t width;
  std::uint32_t exceptions;  ///< offset of its exceptions; 0 if there are none
};

/// The counts of exceptions at the start of a tail.
struct Counts {
  std::uint32_t total;
  std::uint32_t end;  ///< offset behind all counts
};

/// Bytes of packed values. They lie in groups of eight; only the last may have fewer.
__device__ __forceinline__ std::uint32_t packed_bytes(std::uint32_t count, std::uint32_t width) {
  return count / 8 * width + (count % 8 * width + 7) / 8;
}

__device__ __forceinline__ Counts parse_counts(const Bytes& bytes, const Tail& tail) {
  if (tail.blocks == 1) return {bytes.byte(tail.at), tail.at + 1};
  const std::uint32_t bases = tail.at + sizeof(std::uint32_t);
  const std::uint32_t counts = bases + sizeof(std::uint32_t) * ((tail.blocks - 1) / kCountGroup);
  return {bytes.word(tail.at), counts + tail.blocks};
}

/// The arrays of a tail, and the number of blocks that their values are cut into for their own
/// exceptions. With no levels, the gaps are positions.
struct Arrays {
  Array gaps;
  Array highs;
  std::uint32_t inner_blocks;

  __device__ __forceinline__ void parse(const Bytes& bytes, const Tail& tail,
                                        const Counts& counts) {
    inner_blocks = (counts.total + kBlockSize - 1) / kBlockSize;
    const std::uint32_t first_code = bytes.byte(counts.end);
    if (tail.levels == 0) {
      gaps = {counts.end + 1, kPositionWidth, 0};
      highs = {counts.end + 1 + counts.total, min(first_code, 32U), 0};
      return;
    }
    const std::uint32_t high_code = bytes.byte(counts.end + 1);
    gaps = {counts.end + 2, first_code & (kExceptionsFlag - 1), 0};
    highs = {gaps.packed + packed_bytes(counts.total, gaps.width),
             high_code & (kExceptionsFlag - 1), 0};
    std::uint32_t behind = highs.packed + packed_bytes(counts.total, highs.width);
    if ((first_code & kExceptionsFlag) != 0) {
      gaps.exceptions = behind + sizeof(std::uint32_t);
      if ((high_code & kExceptionsFlag) != 0) behind = gaps.exceptions + bytes.word(behind);
    }
    if ((high_code & kExceptionsFlag) != 0) highs.exceptions = behind;
  }
};

}  // namespace warpdex::device::pfor
