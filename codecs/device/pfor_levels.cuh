// The exceptions of a `pfor` list that are compressed recursively, after section 3.2 of Ding et
// al. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_deep.cuh"

namespace warpdex::device::pfor {

/// The values of a range of up to 32, one a lane. `kLevels` is the most levels that a list has.
template <int kLevels>
__device__ __forceinline__ std::uint32_t read_range(const Bytes& bytes, const Array& array,
                                                    const Range& range, WarpScratch& scratch) {
  std::uint32_t value = read_packed(bytes, array, range);
  if (array.exceptions.blocks == 0) return value;
  if (kLevels > 1 && array.exceptions.levels > 0) {
    return DeepReader(bytes, scratch).read(array, range);
  }
  add_plain(bytes, array.exceptions, range, array.width, value);
  return value;
}

/// Calls visit(whether the lane has an exception, position in the block, high bits) for the
/// exceptions of a block at positions in [first, last), up to 32 at a time. `kLevels` is the most
/// levels that a list has, tail.levels those of this one.
template <int kLevels, typename Visit>
__device__ __forceinline__ void for_each_exception(const Bytes& bytes, const Tail& tail,
                                                   std::uint32_t block, std::uint32_t first,
                                                   std::uint32_t last, WarpScratch& scratch,
                                                   Visit visit) {
  if (kLevels == 0 || tail.levels == 0) {
    const PlainTail plain(bytes, tail);
    const Range all = range_of(bytes, plain.counts, block);
    for (std::uint32_t i = lane_index(); i - lane_index() < all.count; i += kLanes) {
      std::uint32_t position = kBlockSize;
      if (i < all.count) position = plain.position(bytes, all.start + i);
      const bool has = position >= first && position < last;
      visit(has, position, has ? plain.high(bytes, all.start + i) : 0);
    }
    return;
  }
  if constexpr (kLevels > 0) {
    const Counts counts = parse_counts(bytes, tail);
    const Range all = range_of(bytes, counts, block);
    if (all.count == 0) return;
    const Arrays arrays(bytes, tail, counts);
    std::uint32_t next = 0;  // position past the exceptions that were read
    for (std::uint32_t done = 0; done < all.count; done += kLanes) {
      const Range range = {all.start + done, min(all.count - done, kLanes)};
      std::uint32_t position = 0;
      bool has = false;
      // The positions, then the high bits. With deep levels by one copy of the code.
#pragma unroll(kLevels > 1 ? 1 : 2)
      for (int pass = 0; pass < 2; ++pass) {
        Array array = arrays.gaps;
        if (pass == 1) array = arrays.highs;
        const std::uint32_t value = read_range<kLevels>(bytes, array, range, scratch);
        if (pass == 1) {
          visit(has, position, value + 1);
          break;
        }
        position = next + inclusive_sum(value + 1) - 1;
        next = __shfl_sync(kAllLanes, position, range.count - 1) + 1;
        has = lane_index() < range.count && position >= first && position < last;
        if (!__any_sync(kAllLanes, has)) break;
      }
    }
  }
}

}  // namespace warpdex::device::pfor
