// The exceptions of a `pfor` list on the GPU: those of any block, without a pass over the others'.
// codecs/pfor_exceptions.hpp is the host's side; docs/codecs.md has the grammar. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/device/warp.cuh"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::device::pfor {

using warpdex::pfor::kCountGroup;
using warpdex::pfor::kPositionWidth;
static_assert(kCountGroup == kLanes, "one lane for each block's number of exceptions");

/// The exceptions of `blocks` blocks of values, compressed with `levels` levels of recursion.
struct Tail {
  const std::uint8_t* at;
  std::uint32_t blocks;
  std::uint32_t levels;
};

/// One of the two arrays of a tail: packed values, which may have exceptions themselves.
struct Array {
  const std::uint8_t* packed = nullptr;
  const std::uint8_t* exceptions = nullptr;  ///< null if there are none
  std::uint32_t width = 0;
};

/// Consecutive values of an array.
struct Range {
  std::uint32_t start;
  std::uint32_t count;  ///< up to 128
};

/// A tail's parts.
struct Parts {
  const std::uint8_t* bases;   ///< exceptions before each group of blocks but the first
  const std::uint8_t* counts;  ///< one a block
  std::uint32_t total;
  Array gaps;  ///< at no levels, positions
  Array highs;
};

__device__ __forceinline__ std::uint64_t packed_bytes(std::uint32_t count, std::uint32_t width) {
  return (std::uint64_t{count} * width + 7) / 8;
}

__device__ __forceinline__ void parse_arrays(const std::uint8_t* at, std::uint32_t levels,
                                             Parts& parts) {
  if (levels == 0) {
    parts.gaps = {at + 1, nullptr, kPositionWidth};
    parts.highs = {at + 1 + parts.total, nullptr, __ldg(at)};
    return;
  }
  const std::uint32_t gap_code = __ldg(at);
  const std::uint32_t high_code = __ldg(at + 1);
  parts.gaps = {at + 2, nullptr, gap_code & (kExceptionsFlag - 1)};
  parts.highs.width = high_code & (kExceptionsFlag - 1);
  parts.highs.packed = parts.gaps.packed + packed_bytes(parts.total, parts.gaps.width);
  const std::uint8_t* behind = parts.highs.packed + packed_bytes(parts.total, parts.highs.width);
  if ((gap_code & kExceptionsFlag) != 0) {
    parts.gaps.exceptions = behind + sizeof(std::uint32_t);
    if ((high_code & kExceptionsFlag) != 0) behind = parts.gaps.exceptions + read32(behind, 0);
  }
  if ((high_code & kExceptionsFlag) != 0) parts.highs.exceptions = behind;
}

__device__ __forceinline__ Parts parse(const Tail& tail) {
  Parts parts;
  if (tail.blocks == 1) {
    parts.total = __ldg(tail.at);
    parts.bases = tail.at;
    parts.counts = tail.at;
    parse_arrays(tail.at + 1, tail.levels, parts);
    return parts;
  }
  parts.total = read32(tail.at, 0);
  parts.bases = tail.at + sizeof(std::uint32_t);
  parts.counts = parts.bases + sizeof(std::uint32_t) * ((tail.blocks - 1) / kCountGroup);
  parse_arrays(parts.counts + tail.blocks, tail.levels, parts);
  return parts;
}

/// Which of the exceptions are those of a block.
__device__ __forceinline__ Range range_of(const Parts& parts, std::uint32_t block) {
  const std::uint32_t group = block / kCountGroup;
  const std::uint32_t in_group = block % kCountGroup;
  std::uint32_t start = 0;
  if (group != 0) start = read32(parts.bases + sizeof(std::uint32_t) * (group - 1), 0);
  std::uint32_t count = 0;
  if (lane_index() <= in_group) count = __ldg(parts.counts + group * kCountGroup + lane_index());
  start += __reduce_add_sync(kAllLanes, lane_index() < in_group ? count : 0);
  return {start, min(__shfl_sync(kAllLanes, count, in_group), kBlockSize)};
}

template <int kLevels, typename Visit>
__device__ __forceinline__ void for_each_exception(const Tail& tail, std::uint32_t block,
                                                   std::uint32_t first, std::uint32_t last,
                                                   WarpScratch& scratch, Visit visit);

/// The values of a range of up to 32, one a lane. The high bits of those that are exceptions come
/// by way of the scratch memory's last words.
template <int kLevels>
__device__ __forceinline__ std::uint32_t read_range(const Array& array, const Range& range,
                                                    const Tail& tail, std::uint32_t total,
                                                    WarpScratch& scratch) {
  std::uint32_t value = 0;
  if (lane_index() < range.count) {  // eight values always start at a whole byte
    const std::uint8_t* group = array.packed + std::uint64_t{range.start / 8} * array.width;
    value = read_bits(group, (range.start % 8 + lane_index()) * array.width, array.width);
  }
  if constexpr (kLevels > 0) {
    if (array.exceptions == nullptr) return value;
    const Tail inner = {array.exceptions, (total - 1) / kBlockSize + 1, tail.levels - 1};
    std::uint32_t* added = scratch.words + kBlockSize;
    const std::uint32_t end = range.start + range.count;
    for (std::uint32_t block = range.start / kBlockSize; block <= (end - 1) / kBlockSize; ++block) {
      const std::uint32_t origin = block * kBlockSize;
      const std::uint32_t first = max(range.start, origin) - origin;
      const std::uint32_t last = min(end - origin, kBlockSize);
      for_each_exception<kLevels - 1>(inner, block, first, last, scratch,
                                      [&](bool has, std::uint32_t position, std::uint32_t high) {
                                        added[lane_index()] = 0;
                                        __syncwarp();
                                        if (has)
                                          added[(origin + position - range.start) % kLanes] =
                                              high << array.width;
                                        __syncwarp();
                                        value += added[lane_index()];
                                        __syncwarp();
                                      });
    }
  }
  return value;
}

/// Calls visit(whether the lane has an exception, position in the block, high bits) for the
/// exceptions of a block at positions in [first, last), up to 32 at a time. `kLevels` is the most
/// that tail.levels can be.
template <int kLevels, typename Visit>
__device__ __forceinline__ void for_each_exception(const Tail& tail, std::uint32_t block,
                                                   std::uint32_t first, std::uint32_t last,
                                                   WarpScratch& scratch, Visit visit) {
  const Parts parts = parse(tail);
  const Range all = range_of(parts, block);
  std::uint32_t next = 0;  // position past the exceptions that were read
  for (std::uint32_t done = 0; done < all.count; done += kLanes) {
    const Range range = {all.start + done, min(all.count - done, kLanes)};
    std::uint32_t position = 0;
    std::uint32_t high = 0;
    bool has = false;
    // Once for the positions, once for the high bits: one copy of what a level below takes.
#pragma unroll(kLevels > 1 ? 1 : 2)
    for (int pass = 0; pass < 2; ++pass) {
      Array array = parts.gaps;
      if (pass == 1) array = parts.highs;
      const std::uint32_t value = read_range<kLevels>(array, range, tail, parts.total, scratch);
      if (pass == 1) {
        high = value + 1;
        break;
      }
      position = value;
      if (kLevels > 0 && tail.levels > 0) {
        position = next + inclusive_sum(value + 1) - 1;
        next = __shfl_sync(kAllLanes, position, range.count - 1) + 1;
      }
      has = lane_index() < range.count && position >= first && position < last;
      if (!__any_sync(kAllLanes, has)) break;
    }
    if (__any_sync(kAllLanes, has)) visit(has, position % kBlockSize, high);
  }
}

}  // namespace warpdex::device::pfor
