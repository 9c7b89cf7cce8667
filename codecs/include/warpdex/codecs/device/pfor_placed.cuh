// The exceptions of a single block of `pfor`, found by the table of where they are
// (codecs/exception_table.hpp). A tail has one level of recursion or none, so no read depends on
// another: all are issued at once, together with those of the block's packed values. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_tail.cuh"

namespace warpdex::device::pfor {

/// The width of a list's packed values.
__device__ __forceinline__ std::uint32_t width_of(const DeviceValues& list) {
  return list.parameter & (kExceptionsFlag - 1);
}

/// Reads the table's entry of a block. Any thread.
__device__ __forceinline__ ExceptionPlace find_exceptions(const DeviceValues& list,
                                                          std::uint32_t block) {
  constexpr std::uint32_t kStarts = 3 * kEntryCountBits;
  constexpr std::uint32_t kStartMask = (1U << kEntryStartBits) - 1;
  static_assert(kStarts + 2 * kEntryStartBits == 48, "the last start lies in the upper half");
  const uint2 entry = __ldg(reinterpret_cast<const uint2*>(list.exceptions + block));
  ExceptionPlace place = {__funnelshift_r(entry.x, entry.y, kStarts) & kStartMask,
                          entry.y >> (kStarts + kEntryStartBits - 32) & kStartMask, entry.y >> 16,
                          entry.x & ((1U << kStarts) - 1)};
  if (block >= kCountGroup) {
    const uint4 base =
        __ldg(reinterpret_cast<const uint4*>(list.exception_bases + (block / kCountGroup - 1)));
    place.first += base.x;
    place.in_gaps += base.y;
    place.in_highs += base.z;
  }
  return place;
}

/// Reads 16 bytes by one instruction.
template <typename T>
__device__ __forceinline__ T read_whole(const T& from) {
  static_assert(sizeof(T) == sizeof(uint4) && alignof(T) == alignof(uint4));
  const uint4 bytes = *reinterpret_cast<const uint4*>(&from);
  T whole;
  memcpy(&whole, &bytes, sizeof(T));
  return whole;
}

/// A packed array, prepared so that few instructions find the place of a value.
struct alignas(16) PackedArray {
  const std::uint32_t* words;  ///< from the word that holds the first bit
  std::uint32_t bit;           ///< in that word
  std::uint32_t width;

  __device__ __forceinline__ void parse(const Bytes& bytes, const Array& array) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.start + array.packed);
    words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
    bit = static_cast<std::uint32_t>(address & 3) * 8;
    width = array.width;
  }

  /// The word that holds the lowest bit of value `i`. 32 values take `width` words.
  __device__ __forceinline__ const std::uint32_t* word_of(std::uint32_t i) const {
    return words + (i / 32 * width + bit_of(i) / 32);
  }
  /// That bit, modulo 32.
  __device__ __forceinline__ std::uint32_t bit_of(std::uint32_t i) const {
    return bit + i % 32 * width;
  }
  /// The byte of the first value.
  __device__ __forceinline__ const std::uint8_t* bytes() const {
    return reinterpret_cast<const std::uint8_t*>(words) + bit / 8;
  }
};

/// A value of a packed array; the constructor starts to read it.
struct PackedValue {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t bit;
  std::uint32_t width;

  __device__ __forceinline__ PackedValue(const PackedArray& array, std::uint32_t i)
      : bit(array.bit_of(i)), width(array.width) {
    const std::uint32_t* const word = array.word_of(i);
    low = __ldg(word);
    high = __ldg(word + 1);
  }
  __device__ __forceinline__ std::uint32_t get() const {
    const std::uint32_t above = __funnelshift_lc(0, ~0U, width);  // 0 for a width of 32
    return __funnelshift_r(low, high, bit) & ~above;
  }
};

/// The plain exceptions of one of a tail's arrays. Not read if the table says that there are none.
struct alignas(16) PlainArray {
  const std::uint8_t* positions;
  std::uint32_t to_highs;  ///< bytes from the positions to the high bits
  std::uint16_t high_bytes;
  std::uint16_t shift;  ///< of the high bits: the width of the array

  __device__ __forceinline__ void parse(const Bytes& bytes, const Array& array,
                                        std::uint32_t blocks) {
    if (array.exceptions == 0) return;
    const Counts counts = parse_counts(bytes, {array.exceptions, blocks, 0});
    positions = bytes.start + counts.end + 1;
    to_highs = counts.total;
    high_bytes = static_cast<std::uint16_t>(min(bytes.byte(counts.end) / 8, 4U));
    shift = static_cast<std::uint16_t>(array.width);
  }

  /// The address of the high bits of exception `i`.
  __device__ __forceinline__ const std::uint8_t* high_of(std::uint32_t i) const {
    return positions + (to_highs + i * high_bytes);
  }
  /// What exception `i` adds. Nearly all have one byte.
  __device__ __forceinline__ std::uint32_t read_added(std::uint32_t i) const {
    const std::uint8_t* const at = high_of(i);
    std::uint32_t high = __ldg(at);
#pragma unroll 1
    for (std::uint32_t byte = 1; byte < high_bytes; ++byte) high |= __ldg(at + byte) << 8 * byte;
    return (high + 1) << shift;
  }
};

/// What is known of a list's tail, beside the table.
struct PlacedTail {
  PackedArray gaps;
  PackedArray highs;
  PlainArray inner[2];  ///< of the gaps, and of the high bits, in tails of one level

  __device__ __forceinline__ void parse(const Bytes& bytes, const Tail& tail) {
    Arrays arrays = {};
    arrays.parse(bytes, tail, parse_counts(bytes, tail));
    gaps.parse(bytes, arrays.gaps);
    highs.parse(bytes, arrays.highs);
    if (tail.levels == 1) {
      inner[0].parse(bytes, arrays.gaps, arrays.inner_blocks);
      inner[1].parse(bytes, arrays.highs, arrays.inner_blocks);
    }
  }
};

/// Calls visit(address) for the start of the block's part of each array of exceptions. Any thread.
template <typename Visit>
__device__ __forceinline__ void visit_starts(const PlacedTail& tail, const ExceptionPlace& place,
                                             Visit visit) {
  if (place.counts == 0) return;
  visit(read_whole(tail.gaps).word_of(place.first));
  visit(read_whole(tail.highs).word_of(place.first));
  const auto visit_inner = [&](const PlainArray& in_memory, std::uint32_t first) {
    const PlainArray array = read_whole(in_memory);
    visit(array.positions + first);
    visit(array.high_of(first));
  };
  if ((place.counts & 0xFF00) != 0) visit_inner(tail.inner[0], place.in_gaps);
  if ((place.counts & 0xFF0000) != 0) visit_inner(tail.inner[1], place.in_highs);
}

/// A block's exceptions. The constructor starts to read the first 32, one a lane.
class PlacedExceptions {
 public:
  __device__ __forceinline__ PlacedExceptions(const DeviceValues& list, const PlacedTail& tail,
                                              const ExceptionPlace& place)
      : tail_(tail), place_(place), levels_(list.levels) {
    if (place_.counts != 0) fetch(0);
  }

  /// Adds their high bits to the block's values, whose low bits are `width`. It goes through shared
  /// memory, since the lanes that read exceptions are not those that hold the values.
  __device__ __forceinline__ void add(std::uint32_t width, WarpScratch& scratch,
                                      std::uint32_t (&values)[kLaneValues]) {
    if (count() == 0) return;
    uint4* const own = reinterpret_cast<uint4*>(scratch.words) + lane_id();
    std::uint32_t next = 0;  // position behind the exceptions that were read
#pragma unroll 1
    for (std::uint32_t done = 0;;) {
      *own = make_uint4(0, 0, 0, 0);
      __syncwarp();
      std::uint32_t position = 0;
      std::uint32_t high = 0;
      get(done, next, scratch, position, high);
      if (done + lane_id() < count()) scratch.words[position % kBlockSize] = high << width;
      __syncwarp();
      add_words(*own, values);
      done += kWarp;
      if (done >= count()) break;
      next = __shfl_sync(kWholeWarp, position, kWarp - 1) + 1;
      fetch(done);
    }
    __syncwarp();
  }

 private:
  /// Half of the lanes read exceptions of gaps, half read exceptions of high bits.
  static constexpr std::uint32_t kHalf = kWarp / 2;

  __device__ __forceinline__ std::uint32_t count() const { return place_.counts & 0xFF; }
  __device__ __forceinline__ bool has_inner() const { return place_.counts > 0xFF; }

  /// Starts to read the exceptions from number `done` on; lanes past the last read the last.
  __device__ __forceinline__ void fetch(std::uint32_t done) {
    const std::uint32_t i = place_.first + min(done + lane_id(), count() - 1);
    const PackedValue gap(read_whole(tail_.gaps), i);
    const PackedValue high(read_whole(tail_.highs), i);
    if (has_inner()) fetch_inner(0);
    gap_ = gap.get();
    high_ = high.get();
  }

  /// The lanes' exceptions from number `done` on. `scratch` is all zero before and after, in all
  /// lanes.
  __device__ __forceinline__ void get(std::uint32_t done, std::uint32_t next, WarpScratch& scratch,
                                      std::uint32_t& position, std::uint32_t& high) {
    position = gap_;
    high = high_ + 1;
    if (has_inner()) add_inner(done, scratch, position, high);
    if (levels_ > 0) position = next + inclusive_sum(position + 1) - 1;
  }

  /// 0 for the lanes with exceptions of gaps, 1 for those with exceptions of high bits.
  __device__ __forceinline__ std::uint32_t half() const { return lane_id() / kHalf; }
  __device__ __forceinline__ std::uint32_t in_gaps_count() const {
    return place_.counts >> 8 & 0xFF;
  }
  __device__ __forceinline__ std::uint32_t in_highs_count() const { return place_.counts >> 16; }

  /// Starts to read the exceptions of exceptions, from number `done` of each kind on. Positions are
  /// modulo kBlockSize, and a block's exceptions span two blocks of exceptions at most, so the
  /// distance from the first one is right modulo kBlockSize.
  __device__ __forceinline__ void fetch_inner(std::uint32_t done) {
    const bool is_gap = half() == 0;
    const std::uint32_t i = done + lane_id() % kHalf;
    inner_target_ = ~0U;
    if (i >= (is_gap ? in_gaps_count() : in_highs_count())) return;
    const PlainArray array = read_whole(tail_.inner[half()]);
    const std::uint32_t number = (is_gap ? place_.in_gaps : place_.in_highs) + i;
    inner_target_ = (__ldg(array.positions + number) - place_.first) % kBlockSize;
    inner_added_ = array.read_added(number);
  }

  /// Adds high bits to the gaps and the high bits of the exceptions from number `done` on, through
  /// the lanes' own parts of the scratch memory.
  __device__ __forceinline__ void add_inner(std::uint32_t done, WarpScratch& scratch,
                                            std::uint32_t& gap, std::uint32_t& high) {
    const std::uint32_t max_count = max(in_gaps_count(), in_highs_count());
#pragma unroll 1
    for (std::uint32_t read = kHalf;; read += kHalf) {
      const std::uint32_t target = inner_target_ - done;
      if (target < kWarp) scratch.words[kLaneValues * target + half()] = inner_added_;
      if (read >= max_count) break;
      fetch_inner(read);
    }
    __syncwarp();
    uint2* const own = reinterpret_cast<uint2*>(scratch.words + kLaneValues * lane_id());
    const uint2 added = *own;
    *own = make_uint2(0, 0);
    gap += added.x;
    high += added.y;
    __syncwarp();
  }

  const PlacedTail& tail_;
  const ExceptionPlace place_;
  const std::uint32_t levels_;
  std::uint32_t gap_ = 0;
  std::uint32_t high_ = 0;
  std::uint32_t inner_target_ = ~0U;  ///< the exception of the block that is changed
  std::uint32_t inner_added_ = 0;     ///< high bits, shifted
};

}  // namespace warpdex::device::pfor
