// The parts of a `pfor` list's tail on the GPU, and how a tail without recursion is read. The
// exceptions of any block are found without a pass over others. codecs/pfor_exceptions.hpp is the
// host's side; docs/codecs.md has the grammar. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/device/warp.cuh"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::device::pfor {

using warpdex::pfor::kCountGroup;
using warpdex::pfor::kPositionWidth;
static_assert(kCountGroup == kWarp, "one lane for each block's number of exceptions");

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
  /// `width` bits from bit `bit` of the bytes at `offset` on.
  __device__ __forceinline__ std::uint32_t bits(std::uint32_t offset, std::uint32_t bit,
                                                std::uint32_t width) const {
    return read_bits(start + offset, bit, width);
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

  /// A value without its exception. Every eighth value starts at a whole byte.
  __device__ __forceinline__ std::uint32_t at(const Bytes& bytes, std::uint32_t i) const {
    return bytes.bits(packed + i / 8 * width, i % 8 * width, width);
  }
};

/// Consecutive values of an array.
struct Range {
  std::uint32_t start;
  std::uint32_t count;
};

/// The counts of exceptions at the start of a tail.
struct Counts {
  std::uint32_t total;
  std::uint32_t bases;   ///< offset: exceptions before each group of blocks but the first
  std::uint32_t counts;  ///< offset: one byte a block
  std::uint32_t end;
};

/// Bytes of packed values. They lie in groups of eight; only the last may have fewer.
__device__ __forceinline__ std::uint32_t packed_bytes(std::uint32_t count, std::uint32_t width) {
  return count / 8 * width + (count % 8 * width + 7) / 8;
}

__device__ __forceinline__ Counts parse_counts(const Bytes& bytes, const Tail& tail) {
  if (tail.blocks == 1) return {bytes.byte(tail.at), tail.at, tail.at, tail.at + 1};
  const std::uint32_t bases = tail.at + sizeof(std::uint32_t);
  const std::uint32_t counts = bases + sizeof(std::uint32_t) * ((tail.blocks - 1) / kCountGroup);
  return {bytes.word(tail.at), bases, counts, counts + tail.blocks};
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

/// The range of a block's exceptions.
__device__ __forceinline__ Range range_of(const Bytes& bytes, const Counts& counts,
                                          std::uint32_t block) {
  const std::uint32_t group = block / kCountGroup;
  const std::uint32_t in_group = block % kCountGroup;
  std::uint32_t start = 0;
  if (group != 0) start = bytes.word(counts.bases + sizeof(std::uint32_t) * (group - 1));
  std::uint32_t count = 0;
  if (lane_id() <= in_group) count = bytes.byte(counts.counts + group * kCountGroup + lane_id());
  start += __reduce_add_sync(kWholeWarp, lane_id() < in_group ? count : 0);
  return {start, min(__shfl_sync(kWholeWarp, count, in_group), kBlockSize)};
}

/// Moves high bits from the lanes that read them to the lanes that hold the values. The lanes that
/// read are neighbours: the target of lane first + i is the i-th lane in `targets`.
struct Targets {
  std::uint32_t lanes = 0;
  std::uint32_t first = 0;

  Targets() = default;
  /// `target` is the target of this lane, below 32, or 32 if it has none. Targets ascend.
  __device__ __forceinline__ explicit Targets(std::uint32_t target) {
    lanes = __reduce_or_sync(kWholeWarp, target < kWarp ? 1U << target : 0);
    first = __ffs(static_cast<int>(__ballot_sync(kWholeWarp, target < kWarp))) - 1;
  }

  /// What the lane that has this lane as its target passes in `added`; 0 if there is none.
  __device__ __forceinline__ std::uint32_t bring(std::uint32_t added) const {
    added = __shfl_sync(kWholeWarp, added, first + __popc(lanes & lanes_below()));
    return (lanes >> lane_id() & 1) != 0 ? added : 0;
  }
};

/// The values of a range of up to 32, one a lane, without their exceptions. Lanes past the last
/// value get the last.
__device__ __forceinline__ std::uint32_t read_packed(const Bytes& bytes, const Array& array,
                                                     const Range& range) {
  return array.at(bytes, range.start + min(lane_id(), range.count - 1));
}

/// The exceptions of a tail without recursion: plain positions, plain high bits.
struct PlainTail {
  Counts counts;
  std::uint32_t high_width;

  __device__ __forceinline__ PlainTail(const Bytes& bytes, const Tail& tail)
      : counts(parse_counts(bytes, tail)), high_width(bytes.byte(counts.end)) {}

  __device__ __forceinline__ std::uint32_t position(const Bytes& bytes, std::uint32_t i) const {
    return bytes.byte(counts.end + 1 + i) % kBlockSize;
  }
  __device__ __forceinline__ std::uint32_t high(const Bytes& bytes, std::uint32_t i) const {
    const std::uint32_t highs = counts.end + 1 + counts.total;
    return bytes.bits(highs + i * (high_width / 8), 0, min(high_width, 32U)) + 1;
  }
};

/// Adds the high bits of plain exceptions to a range of up to 32 values, one a lane. `width` is
/// that of the values' low bits.
__device__ __forceinline__ void add_plain(const Bytes& bytes, const Tail& exceptions,
                                          const Range& range, std::uint32_t width,
                                          std::uint32_t& value) {
  const PlainTail tail(bytes, exceptions);
  const std::uint32_t last = range.start + range.count - 1;
#pragma unroll 1
  for (std::uint32_t block = range.start / kBlockSize; block <= last / kBlockSize; ++block) {
    const Range all = range_of(bytes, tail.counts, block);
#pragma unroll 1
    for (std::uint32_t done = 0; done < all.count; done += kWarp) {
      const std::uint32_t i = done + lane_id();
      std::uint32_t target = kWarp;
      if (i < all.count) {
        target = block * kBlockSize + tail.position(bytes, all.start + i) - range.start;
        if (target >= range.count) target = kWarp;
      }
      const Targets targets(target);
      if (targets.lanes == 0) continue;
      std::uint32_t high = 0;
      if (target < kWarp) high = tail.high(bytes, all.start + i);
      value += targets.bring(high) << width;
    }
  }
}

}  // namespace warpdex::device::pfor
