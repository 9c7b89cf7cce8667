// One value's exception in a block of `pfor`, found by one thread: it walks through the block's
// exceptions up to the value, with those of their gaps beside them. For lists with one level of
// recursion or none. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_placed.cuh"

namespace warpdex::device::pfor {

/// The values of a packed array from one on, in order; as many by one read as 32 bits hold.
class PackedWalk {
 public:
  __device__ __forceinline__ PackedWalk(const PackedArray& array, std::uint32_t first)
      : words_(array.word_of(first)), bit_(array.bit_of(first) % 32), width_(array.width) {
    read();
  }

  __device__ __forceinline__ std::uint32_t next() {
    if (used_ + width_ > 32) {
      bit_ += used_;
      used_ = 0;
      read();
    }
    const std::uint32_t value = window_ >> used_ & mask_of(width_);
    used_ += width_;
    return value;
  }

 private:
  __device__ __forceinline__ void read() {
    const std::uint32_t* const word = words_ + bit_ / 32;
    window_ = __funnelshift_r(__ldg(word), __ldg(word + 1), bit_);
  }

  const std::uint32_t* const words_;
  std::uint32_t bit_;  ///< of the words, the first in the window
  const std::uint32_t width_;
  std::uint32_t window_;
  std::uint32_t used_ = 0;  ///< bits of the window
};

/// How far the exception that the array's exception `number` adds to is from exception `from`, both
/// of the same block. Positions are in blocks of exceptions, of which a block's own meet two at
/// most: a distance is right modulo a block's size, so that only an exception's own is 0.
__device__ __forceinline__ std::uint32_t distance_to(const PlainArray& array, std::uint32_t number,
                                                     std::uint32_t from) {
  return (__ldg(read_whole(array).positions + number) - from) % kBlockSize;
}

/// The exceptions of the gaps of a block's exceptions, in order.
class GapExceptions {
 public:
  /// Those numbered from `number` to `end`; the block's own are from `first` on.
  __device__ __forceinline__ GapExceptions(const PlainArray& array, std::uint32_t number,
                                           std::uint32_t end, std::uint32_t first)
      : array_(array), number_(number), end_(end) {
    find_target(first);
  }

  /// What is added to the gap of exception `i`. Asked with one after the other.
  __device__ __forceinline__ std::uint32_t added_to(std::uint32_t i) {
    if (i != target_) return 0;
    const std::uint32_t added = read_whole(array_).read_added(number_);
    ++number_;
    find_target(i + 1);
    return added;
  }

 private:
  __device__ __forceinline__ void find_target(std::uint32_t from) {
    target_ = ~0U;
    if (number_ != end_) target_ = from + distance_to(array_, number_, from);
  }

  const PlainArray& array_;
  std::uint32_t number_;
  const std::uint32_t end_;
  std::uint32_t target_;  ///< the list's exception that is added to
};

/// The high bits of exception `i` of a list, one of the block's.
template <int kLevels>
__device__ __forceinline__ std::uint32_t read_high(const PlacedTail<kLevels>& tail,
                                                   const ExceptionPlace& place, std::uint32_t i) {
  std::uint32_t high = PackedValue(read_whole(tail.highs), i).get() + 1;
  const std::uint32_t end = place.in_highs + (place.counts >> 16);
#pragma unroll 1
  for (std::uint32_t number = place.in_highs; number != end; ++number) {
    if (distance_to(tail.inner[1], number, i) != 0) continue;
    high += read_whole(tail.inner[1]).read_added(number);
    break;
  }
  return high;
}

/// The high bits of a block's value `index`; 0 if it is no exception. Any thread; the lanes of a
/// warp take as long as the longest walk.
template <int kLevels>
__device__ __forceinline__ std::uint32_t high_alone(const PlacedTail<kLevels>& tail, bool are_gaps,
                                                    const ExceptionPlace& place,
                                                    std::uint32_t index) {
  static_assert(kLevels <= 1, "deeper levels are read by a warp");
  const std::uint32_t end = place.first + (place.counts & 0xFF);
  if (end == place.first) return 0;
  PackedWalk gaps(read_whole(tail.gaps), place.first);
  GapExceptions in_gaps(tail.inner[0], place.in_gaps, place.in_gaps + (place.counts >> 8 & 0xFF),
                        place.first);
  std::uint32_t i = place.first;
  std::uint32_t rest = index;  // from behind the exceptions that were read on
  std::uint32_t gap = 0;
#pragma unroll 1
  for (;; ++i) {
    if (i == end) return 0;
    gap = gaps.next() + in_gaps.added_to(i);
    if (gap >= rest) break;
    if (are_gaps) rest -= gap + 1;
  }
  return gap == rest ? read_high(tail, place, i) : 0;
}

}  // namespace warpdex::device::pfor
