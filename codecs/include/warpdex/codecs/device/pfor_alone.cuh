// One thread finds the exception of one value in a block of `pfor`. It walks through the block's
// exceptions up to the value, and through the exceptions of their gaps, mostly in registers. For
// lists with one level of recursion or none. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_placed.cuh"

namespace warpdex::device::pfor {

/// Reads the values of a packed array in order, as many at a time as 32 bits hold.
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
  std::uint32_t bit_;  ///< of the words: the first bit in the window
  const std::uint32_t width_;
  std::uint32_t window_;
  std::uint32_t used_ = 0;  ///< bits of the window that were taken
};

/// The distance from exception `from` to the exception that is changed by the array's exception
/// `number`; both belong to the same block. Positions are modulo kBlockSize, and a block's
/// exceptions span two blocks of exceptions at most; so the distance is 0 for the right exception
/// only.
__device__ __forceinline__ std::uint32_t distance_to(const PlainArray& array, std::uint32_t number,
                                                     std::uint32_t from) {
  return (__ldg(read_whole(array).positions + number) - from) % kBlockSize;
}

/// The exceptions of the gaps of a block's exceptions, in order.
class GapExceptions {
 public:
  /// Takes exceptions `number` to `end`; the block's own exceptions start at `first`.
  __device__ __forceinline__ GapExceptions(const PlainArray& array, std::uint32_t number,
                                           std::uint32_t end, std::uint32_t first)
      : array_(array), number_(number), end_(end) {
    find_target(first);
  }

  /// What is added to the gap of exception `i`. Must be called for one exception after the other.
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
  std::uint32_t target_;  ///< the next exception whose gap is changed
};

/// Plain exceptions that are compared together, one in each byte of a word.
inline constexpr std::uint32_t kTogether = 4;

/// The high bits of exception `i`, which is one of the block's.
__device__ __forceinline__ std::uint32_t read_high(const PlacedTail& tail,
                                                   const ExceptionPlace& place, std::uint32_t i) {
  const std::uint32_t high = PackedValue(read_whole(tail.highs), i).get() + 1;
  const std::uint32_t end = place.in_highs + (place.counts >> 16);
  if (end == place.in_highs) return high;
  const PlainArray array = read_whole(tail.inner[1]);
#pragma unroll 1
  for (std::uint32_t number = place.in_highs; number < end; number += kTogether) {
    const std::uint32_t positions = read32(array.positions + number, 0);
    std::uint32_t found = end;
#pragma unroll
    for (std::uint32_t k = 0; k < kTogether; ++k) {
      if (((positions >> 8 * k) - i) % kBlockSize == 0) found = min(found, number + k);
    }
    if (found < end) return high + array.read_added(found);
  }
  return high;
}

/// Bits of a block's gaps that short_walk() keeps in registers.
inline constexpr std::uint32_t kWalkBits = 96;

inline constexpr std::uint32_t kNoException = ~0U;

/// Whether short_walk() can be used. It nearly always can in lists of one level.
__device__ __forceinline__ bool is_short(const PackedArray& gaps, std::uint32_t counts) {
  const std::uint32_t count = counts & 0xFF;
  return count <= kWarp && count * gaps.width <= kWalkBits && (counts >> 8 & 0xFF) <= kTogether;
}

/// Which of the list's exceptions belongs to value `index` of a block, or kNoException. For blocks
/// with few exceptions, of whose gaps even fewer are exceptions, in lists of one level. All reads
/// are issued before the walk.
__device__ __forceinline__ std::uint32_t short_walk(const PlacedTail& tail, const PackedArray& gaps,
                                                    const ExceptionPlace& place,
                                                    std::uint32_t index) {
  const std::uint32_t* const word = gaps.word_of(place.first);
  const std::uint32_t bit = gaps.bit_of(place.first);
  const std::uint32_t words[] = {__ldg(word), __ldg(word + 1), __ldg(word + 2), __ldg(word + 3)};
  std::uint32_t marks = 0;  // a bit for each exception from the next on: its gap is changed
  std::uint32_t added = 0;  // what is added to these gaps, a byte each
  std::uint32_t shift = 0;
  const std::uint32_t inner = place.counts >> 8 & 0xFF;
  if (inner > 0) {
    const PlainArray array = read_whole(tail.inner[0]);
    const std::uint32_t positions = read32(array.positions + place.in_gaps, 0);
    added = read32(array.high_of(place.in_gaps), 0);  // gaps are so small that a byte holds it
    shift = array.shift;
#pragma unroll
    for (std::uint32_t k = 0; k < kTogether; ++k) {
      if (k < inner) marks |= 1U << ((positions >> 8 * k) - place.first) % 32;
    }
  }
  std::uint32_t low = __funnelshift_r(words[0], words[1], bit);
  std::uint32_t middle = __funnelshift_r(words[1], words[2], bit);
  std::uint32_t high = __funnelshift_r(words[2], words[3], bit);
  const std::uint32_t width = gaps.width % 32;
  const std::uint32_t mask = (1U << width) - 1;
  const std::uint32_t end = place.first + (place.counts & 0xFF);
  std::uint32_t rest = index;  // distance to the value from behind the last exception
#pragma unroll 1
  for (std::uint32_t i = place.first; i != end; ++i) {
    std::uint32_t gap = low & mask;
    low = __funnelshift_r(low, middle, width);
    middle = __funnelshift_r(middle, high, width);
    high >>= width;
    if (marks & 1) {
      gap += ((added & 0xFF) + 1) << shift;
      added >>= 8;
    }
    marks >>= 1;
    if (gap >= rest) return gap == rest ? i : kNoException;
    rest -= gap + 1;
  }
  return kNoException;
}

/// The same for any block.
__device__ __forceinline__ std::uint32_t long_walk(const PlacedTail& tail, bool are_gaps,
                                                   const PackedArray& array,
                                                   const ExceptionPlace& place,
                                                   std::uint32_t index) {
  const std::uint32_t end = place.first + (place.counts & 0xFF);
  PackedWalk gaps(array, place.first);
  GapExceptions in_gaps(tail.inner[0], place.in_gaps, place.in_gaps + (place.counts >> 8 & 0xFF),
                        place.first);
  std::uint32_t rest = index;  // distance to the value from behind the last exception
#pragma unroll 1
  for (std::uint32_t i = place.first; i != end; ++i) {
    const std::uint32_t gap = gaps.next() + in_gaps.added_to(i);
    if (gap >= rest) return gap == rest ? i : kNoException;
    if (are_gaps) rest -= gap + 1;
  }
  return kNoException;
}

/// The high bits of value `index` of a block; 0 if it is no exception. Any thread; a warp takes as
/// long as its longest walk.
__device__ __forceinline__ std::uint32_t high_alone(const PlacedTail& tail, bool are_gaps,
                                                    const ExceptionPlace& place,
                                                    std::uint32_t index) {
  if ((place.counts & 0xFF) == 0) return 0;
  const PackedArray gaps = read_whole(tail.gaps);
  const std::uint32_t exception = are_gaps && is_short(gaps, place.counts)
                                      ? short_walk(tail, gaps, place, index)
                                      : long_walk(tail, are_gaps, gaps, place, index);
  return exception == kNoException ? 0 : read_high(tail, place, exception);
}

}  // namespace warpdex::device::pfor
