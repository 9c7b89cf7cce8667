// The exceptions of many blocks of one `pfor` list in turn. What was decoded of a deeper level
// serves all blocks that need it. So deep levels are decoded once, as in the paper, but never as a
// whole. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_levels.cuh"

namespace warpdex::device::pfor {

/// One warp's memory for a cursor, in shared memory: the list's tail, and two blocks of exceptions
/// (an even and an odd one). Each of these belongs to about eight blocks of values.
template <int kLevels>
struct alignas(16) CursorScratch {
  std::uint32_t highs[2 * kBlockSize];
  std::uint8_t gaps[2 * kBlockSize];
  ListTail<kLevels> tail;
  ListTail<kLevels == 0 ? 0 : kLevels - 1> below[2];  ///< for the exceptions of the gaps and of the
                                                      ///< high bits
};

/// Finds the exceptions of a list's blocks, fastest in ascending order. All members are uniform,
/// except for the counts of a group's exceptions, one a lane.
template <int kLevels>
class Cursor {
 public:
  /// A whole warp; `scratch` belongs to the cursor as long as it is used.
  __device__ __forceinline__ Cursor(const ListTail<kLevels>& tail, CursorScratch<kLevels>& scratch)
      : shared_(&scratch) {
    __syncwarp();
    if (lane_id() == 0) {
      shared_->tail = tail;
      if (kLevels > 0 && tail.tail.levels > 0) {
        parse_below(tail, tail.arrays.gaps, 0);
        parse_below(tail, tail.arrays.highs, 1);
      }
    }
    __syncwarp();
  }

  /// Returns the range of a block's exceptions, after decoding to shared memory what they need.
  __device__ __forceinline__ Range seek(std::uint32_t block, WarpScratch& scratch) {
    const Range all = range_of_block(block);
    if (!plain()) decode_inner(all, scratch);
    return all;
  }

  /// As pfor::for_each_exception, for the block of the last seek().
  template <typename Visit>
  __device__ __forceinline__ void for_each_exception(const Range& all, Visit visit) const {
    std::uint32_t next = 0;  // position behind the exceptions that were read
#pragma unroll 1
    for (std::uint32_t done = 0; done < all.count; done += kWarp) {
      const std::uint32_t count = min(all.count - done, kWarp);
      const std::uint32_t index = all.start + done + min(lane_id(), count - 1);
      std::uint32_t position = 0;
      std::uint32_t high = 0;
      if (plain()) {
        position = shared_->tail.arrays.gaps.at(shared_->tail.bytes, index);
        high = shared_->tail.arrays.highs.at(shared_->tail.bytes, index);
      } else {
        position = next + inclusive_sum(shared_->gaps[index % (2 * kBlockSize)] + 1) - 1;
        next = __shfl_sync(kWholeWarp, position, count - 1) + 1;
        high = shared_->highs[index % (2 * kBlockSize)];
      }
      visit(lane_id() < count && position < kBlockSize, position, high + 1);
    }
  }

 private:
  /// Whether the list's exceptions are plain positions and plain high bits.
  __device__ __forceinline__ bool plain() const {
    return kLevels == 0 || shared_->tail.tail.levels == 0;
  }

  __device__ __forceinline__ void parse_below(const ListTail<kLevels>& tail, const Array& array,
                                              int which) {
    if (array.exceptions == 0) return;
    shared_->below[which].parse(tail.bytes,
                                {array.exceptions, tail.arrays.inner_blocks, tail.tail.levels - 1});
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  __device__ __forceinline__ Range range_of_block(std::uint32_t block) {
    if (block / kCountGroup != group_) find_starts(block / kCountGroup);
    return {__shfl_sync(kWholeWarp, start_, block % kCountGroup),
            __shfl_sync(kWholeWarp, count_, block % kCountGroup)};
  }

  /// Finds the ranges of a group's blocks, one a lane, by one scan.
  __device__ __forceinline__ void find_starts(std::uint32_t group) {
    const ListTail<kLevels>& tail = shared_->tail;
    group_ = group;
    const std::uint32_t block = group * kCountGroup + lane_id();
    count_ = block < tail.tail.blocks ? tail.bytes.byte(tail.counts + block) : 0;
    start_ = inclusive_sum(count_) - count_;
    if (group != 0) start_ += tail.bytes.word(tail.tail.at + group * sizeof(std::uint32_t));
    count_ = min(count_, kBlockSize);
  }

  /// Decodes the one or two blocks of exceptions that hold a block's, unless they are decoded.
  __device__ __forceinline__ void decode_inner(const Range& all, WarpScratch& scratch) {
    const std::uint32_t first = all.start / kBlockSize;
    const std::uint32_t last = (all.start + all.count - 1) / kBlockSize;
    if ((first >= oldest_ && last <= newest_) || all.count == 0) return;
    __syncwarp();
#pragma unroll 1
    for (std::uint32_t i = 2 * first; i <= 2 * last + 1; ++i) {
      if (i / 2 < oldest_ || i / 2 > newest_) decode_array(i % 2, i / 2, scratch);
    }
    __syncwarp();
    // A block that is there only because of its neighbour is not relied on.
    oldest_ = first;
    newest_ = last;
  }

  /// Decodes 128 gaps, or 128 high bits, like a block of a list.
  __device__ __forceinline__ void decode_array(int pass, std::uint32_t inner,
                                               WarpScratch& scratch) {
    const ListTail<kLevels>& tail = shared_->tail;
    const Array& array = pass == 0 ? tail.arrays.gaps : tail.arrays.highs;
    std::uint32_t values[kLaneValues];
    unpack(tail.bytes.start + array.packed + inner * (kBlockSize / 8) * array.width,
           min(tail.total - inner * kBlockSize, kBlockSize), array.width, values);
    if (kLevels > 0 && array.exceptions != 0) {
      pfor::for_each_exception(shared_->below[pass], inner, scratch,
                               [&](bool has, std::uint32_t position, std::uint32_t high) {
                                 patch(has, position, high << array.width, scratch, values);
                               });
    }
    const std::uint32_t at = inner % 2 * kWarp + lane_id();
    if (pass == 0) {
      reinterpret_cast<uchar4*>(shared_->gaps)[at] =
          make_uchar4(values[0], values[1], values[2], values[3]);
    } else {
      reinterpret_cast<uint4*>(shared_->highs)[at] =
          make_uint4(values[0], values[1], values[2], values[3]);
    }
  }

  CursorScratch<kLevels>* shared_;
  std::uint32_t group_ = kNone;  ///< the group whose ranges are known
  std::uint32_t start_ = 0;      ///< of the lane's block of the group
  std::uint32_t count_ = 0;
  std::uint32_t oldest_ = 1;  ///< the first decoded block of exceptions
  std::uint32_t newest_ = 0;  ///< the last
};

}  // namespace warpdex::device::pfor
