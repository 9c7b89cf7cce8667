// Finds the exceptions of a `pfor` list's blocks by the list's tail alone, after section 3.2 of
// Ding et al. Cursors use it. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_deep.cuh"

namespace warpdex::device::pfor {

/// The exceptions of a tail's gaps and of its high bits, without further recursion. Both arrays
/// have one value for each exception of the list, so their exceptions have the same layout up to
/// the positions. One block of each is read at a time.
struct InnerPair {
  std::uint32_t counts;          ///< bytes from the start of either to its counts
  std::uint32_t positions;       ///< bytes from the start of either to its positions
  std::uint32_t gap_highs;       ///< offset: high bits of the gaps' exceptions
  std::uint32_t high_highs;      ///< offset: high bits of the high bits' exceptions
  std::uint32_t gap_high_bytes;  ///< bytes of a value
  std::uint32_t high_high_bytes;

  __device__ __forceinline__ void parse(const Bytes& bytes, const Arrays& arrays) {
    const std::uint32_t blocks = arrays.inner_blocks;
    counts = blocks == 1 ? 0 : sizeof(std::uint32_t) * ((blocks - 1) / kCountGroup + 1);
    positions = (blocks == 1 ? 1 : counts + blocks) + 1;
    parse_one(bytes, arrays.gaps.exceptions, blocks, gap_highs, gap_high_bytes);
    parse_one(bytes, arrays.highs.exceptions, blocks, high_highs, high_high_bytes);
  }

 private:
  __device__ __forceinline__ void parse_one(const Bytes& bytes, std::uint32_t at,
                                            std::uint32_t blocks, std::uint32_t& highs,
                                            std::uint32_t& high_bytes) const {
    if (at == 0) return;
    highs = at + positions + (blocks == 1 ? bytes.byte(at) : bytes.word(at));
    high_bytes = min(bytes.byte(at + positions - 1) / 8, 4U);
  }
};

/// What is known of a list's tail before any block's exceptions are found. `kLevels` is the largest
/// number of levels of a list. Parsing takes as many instructions as finding the exceptions of a
/// block.
template <int kLevels>
struct ListTail {
  Bytes bytes;
  Tail tail;
  std::uint32_t counts;
  std::uint32_t total;  ///< exceptions
  Arrays arrays;
  InnerPair inner;  ///< for lists with one level

  __device__ __forceinline__ void parse(const Bytes& list, const Tail& list_tail) {
    bytes = list;
    tail = list_tail;
    const Counts parsed = parse_counts(bytes, tail);
    counts = parsed.counts;
    total = parsed.total;
    arrays.parse(bytes, tail, parsed);
    if (kLevels > 0 && tail.levels == 1) inner.parse(bytes, arrays);
  }
};

/// The plain high bits of exception `i`, of `size` (1 to 4) bytes each; nearly all have one.
__device__ __forceinline__ std::uint32_t read_bytes(const Bytes& bytes, std::uint32_t highs,
                                                    std::uint32_t size, std::uint32_t i) {
  const std::uint32_t at = highs + i * size;
  if (size == 1) return bytes.byte(at) + 1;
  return bytes.bits(at, 0, 8 * size) + 1;
}

/// Adds the high bits of exceptions to the gaps and the high bits of up to 32 exceptions, one a
/// lane.
template <int kLevels>
__device__ __forceinline__ void add_inner(const ListTail<kLevels>& list, const Range& range,
                                          WarpScratch& scratch, std::uint32_t& gap,
                                          std::uint32_t& high) {
  const Bytes& bytes = list.bytes;
  const InnerPair& inner = list.inner;
  const std::uint32_t gaps = list.arrays.gaps.exceptions;
  const std::uint32_t highs = list.arrays.highs.exceptions;
  if ((gaps | highs) == 0) return;
  const std::uint32_t last = range.start + range.count - 1;
#pragma unroll 1
  for (std::uint32_t block = range.start / kBlockSize; block <= last / kBlockSize; ++block) {
    // Counts of both arrays in one word: their sums are below 2^16.
    const std::uint32_t group = block / kCountGroup;
    const std::uint32_t in_group = block % kCountGroup;
    const std::uint32_t place = inner.counts + group * kCountGroup + lane_id();
    std::uint32_t counts = 0;
    if (gaps != 0 && lane_id() <= in_group) counts = bytes.byte(gaps + place);
    if (highs != 0 && lane_id() <= in_group) counts |= bytes.byte(highs + place) << 16;
    const std::uint32_t before = __reduce_add_sync(kWholeWarp, lane_id() < in_group ? counts : 0);
    counts = __shfl_sync(kWholeWarp, counts, in_group);
    std::uint32_t gap_start = before & 0xFFFF;
    std::uint32_t high_start = before >> 16;
    if (group != 0) {
      if (gaps != 0) gap_start += bytes.word(gaps + group * sizeof(std::uint32_t));
      if (highs != 0) high_start += bytes.word(highs + group * sizeof(std::uint32_t));
    }
    const std::uint32_t gap_count = min(counts & 0xFFFF, kBlockSize);
    const std::uint32_t high_count = min(counts >> 16, kBlockSize);
    const std::uint32_t origin = block * kBlockSize - range.start;
#pragma unroll 1
    for (std::uint32_t i = lane_id(); i - lane_id() < max(gap_count, high_count); i += kWarp) {
      std::uint32_t gap_target = kWarp;
      std::uint32_t high_target = kWarp;
      if (i < gap_count) gap_target = origin + bytes.byte(gaps + inner.positions + gap_start + i);
      if (i < high_count) {
        high_target = origin + bytes.byte(highs + inner.positions + high_start + i);
      }
      const bool has_gap = gap_target < range.count;
      const bool has_high = high_target < range.count;
      if (!__any_sync(kWholeWarp, has_gap || has_high)) continue;
      uint2* sums = reinterpret_cast<uint2*>(scratch.words);
      sums[lane_id()] = make_uint2(0, 0);
      __syncwarp();
      if (has_gap) {
        sums[gap_target].x = read_bytes(bytes, inner.gap_highs, inner.gap_high_bytes, gap_start + i)
                             << list.arrays.gaps.width;
      }
      if (has_high) {
        sums[high_target].y =
            read_bytes(bytes, inner.high_highs, inner.high_high_bytes, high_start + i)
            << list.arrays.highs.width;
      }
      __syncwarp();
      const uint2 added = sums[lane_id()];
      gap += added.x;
      high += added.y;
      __syncwarp();
    }
  }
}

/// Calls visit(whether the lane has an exception, position in the block, high bits) for a block's
/// exceptions, up to 32 at a time.
template <int kLevels, typename Visit>
__device__ __forceinline__ void for_each_exception(const ListTail<kLevels>& list,
                                                   std::uint32_t block, WarpScratch& scratch,
                                                   Visit visit) {
  const Array& gaps = list.arrays.gaps;
  const Array& highs = list.arrays.highs;
  const Counts counts = {0, list.tail.at + static_cast<std::uint32_t>(sizeof(std::uint32_t)),
                         list.counts, 0};
  const Range all = range_of(list.bytes, counts, block);
  std::uint32_t next = 0;  // position behind the exceptions that were read
#pragma unroll 1
  for (std::uint32_t done = 0; done < all.count; done += kWarp) {
    const Range range = {all.start + done, min(all.count - done, kWarp)};
    std::uint32_t position = 0;
    std::uint32_t high = 0;
    if (kLevels < 2 || list.tail.levels < 2) {
      position = read_packed(list.bytes, gaps, range);
      high = read_packed(list.bytes, highs, range);
      if constexpr (kLevels > 0) add_inner(list, range, scratch, position, high);
    } else {
#pragma unroll 1
      for (int pass = 0; pass < 2; ++pass) {  // one copy of the code for both
        Array array = gaps;
        if (pass == 1) array = highs;
        position = high;
        high = DeepReader(list.bytes, scratch)
                   .read(array, list.arrays.inner_blocks, list.tail.levels - 1, range);
      }
    }
    if (kLevels > 0 && list.tail.levels > 0) {
      position = next + inclusive_sum(position + 1) - 1;
      next = __shfl_sync(kWholeWarp, position, range.count - 1) + 1;
    }
    visit(lane_id() < range.count && position < kBlockSize, position, high + 1);
  }
}

}  // namespace warpdex::device::pfor
