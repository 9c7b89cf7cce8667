// Decodes usual blocks of `pfor` values, which nearly all are in lists with one level or none, in
// fewer instructions than pfor_placed.cuh. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_placed.cuh"

namespace warpdex::device::pfor {

/// So many lanes read exceptions of gaps, and as many read those of high bits. A block with this
/// many exceptions of either kind is not usual: one test of bits checks both counts.
inline constexpr std::uint32_t kInnerLanes = kWarp / 2;

/// Whether usual_values() can decode a block: it is full, its packed values are narrow, and one
/// read of the warp gets all its exceptions and theirs. In a list without levels, high bits must be
/// a byte each. Any thread.
__device__ __forceinline__ bool is_usual(const DeviceValues& list, const PlacedTail& tail,
                                         const BlockPlace& place) {
  constexpr std::uint32_t kManyInner = 0x100 - kInnerLanes;
  const std::uint32_t counts = place.exceptions.counts;
  return place.count == kBlockSize && width_of(list) <= kNarrowWidth &&
         (counts & (kManyInner << 16 | kManyInner << 8)) == 0 && (counts & 0xFF) <= kWarp &&
         (list.levels == 1 || counts == 0 || tail.highs.width == 8);
}

/// The values of such a block, whose low bits are `width`, with exceptions, in a list without
/// levels. Positions are a byte each and have no exceptions, so `place.counts` is the number of
/// exceptions.
__device__ __forceinline__ void usual_values_without_levels(
    const std::uint8_t* at, std::uint32_t width, const PlacedTail& tail,
    const ExceptionPlace& place, WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t lane = lane_id();
  const std::uint32_t i = place.first + min(lane, place.counts - 1);
  const NarrowFour low(at, lane * kLaneValues * width);
  const std::uint32_t position = __ldg(read_whole(tail.gaps).bytes() + i);
  const std::uint32_t high = __ldg(read_whole(tail.highs).bytes() + i);
  low.unpack(width, values);
  patch(lane < place.counts, position, (high + 1) << width, scratch, values);
}

/// The same in a list with one level. All reads are issued at once.
__device__ __forceinline__ void usual_values(const std::uint8_t* at, std::uint32_t width,
                                             const PlacedTail& tail, const ExceptionPlace& place,
                                             WarpScratch& scratch,
                                             std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t lane = lane_id();
  const std::uint32_t count = place.counts & 0xFF;
  const NarrowFour low(at, lane * kLaneValues * width);
  const std::uint32_t i = place.first + min(lane, count - 1);
  const PackedValue gap(read_whole(tail.gaps), i);
  const PackedValue high(read_whole(tail.highs), i);
  // Half of the lanes have exceptions of gaps, half have exceptions of high bits.
  const std::uint32_t half = lane / kInnerLanes;
  bool has_inner = false;
  std::uint32_t target = 0;
  std::uint32_t added = 0;
  if (place.counts > 0xFF) {
    const std::uint32_t inner = lane % kInnerLanes;
    has_inner = inner < (half == 0 ? place.counts >> 8 & 0xFF : place.counts >> 16);
    if (has_inner) {
      const PlainArray array = read_whole(tail.inner[half]);
      const std::uint32_t number = (half == 0 ? place.in_gaps : place.in_highs) + inner;
      target = (__ldg(array.positions + number) - place.first) % kWarp;
      added = array.read_added(number);
    }
  }
  low.unpack(width, values);

  uint4* const own = reinterpret_cast<uint4*>(scratch.words) + lane;
  *own = make_uint4(0, 0, 0, 0);
  std::uint32_t position = gap.get() + 1;
  std::uint32_t above = high.get() + 1;
  __syncwarp();
  if (place.counts > 0xFF) {
    if (has_inner) scratch.words[kLaneValues * target + half] = added;
    __syncwarp();
    uint2* const to_add = reinterpret_cast<uint2*>(own);
    position += to_add->x;
    above += to_add->y;
    *to_add = make_uint2(0, 0);
    __syncwarp();
  }
  position = inclusive_sum(position) - 1;
  if (lane < count) scratch.words[position % kBlockSize] = above << width;
  __syncwarp();
  add_words(*own, values);
  __syncwarp();
}

}  // namespace warpdex::device::pfor
