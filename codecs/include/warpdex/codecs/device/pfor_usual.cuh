// What nearly all blocks of values of `pfor` with one level of recursion or none are, decoded in
// fewer instructions than by pfor_placed.cuh. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_placed.cuh"

namespace warpdex::device::pfor {

/// Lanes that read exceptions of gaps; as many read those of high bits. Blocks with so many are not
/// usual, since one test of bits tells that there are fewer of either kind.
inline constexpr std::uint32_t kInnerLanes = kWarp / 2;

/// Whether usual_values() can decode a block: it is full, its packed bits are few, and one read of
/// the warp brings its exceptions, if there are any, and theirs; of a list without levels, high
/// bits are a byte each. Any thread.
template <int kLevels>
__device__ __forceinline__ bool is_usual(const DeviceValues& list, const PlacedTail<kLevels>& tail,
                                         const BlockPlace& place) {
  constexpr std::uint32_t kManyInner = 0x100 - kInnerLanes;
  const std::uint32_t counts = place.exceptions.counts;
  return place.count == kBlockSize && width_of(list) <= kNarrowWidth &&
         (counts & (kManyInner << 16 | kManyInner << 8)) == 0 && (counts & 0xFF) <= kWarp &&
         (list.levels == 1 || counts == 0 || tail.highs.width == 8);
}

/// The values of such a block with exceptions of a list without levels, whose low bits are `width`:
/// the exceptions' positions are a byte each, too, and have no exceptions, so that `place` counts
/// nothing else.
template <int kLevels>
__device__ __forceinline__ void usual_values_without_levels(
    const std::uint8_t* at, std::uint32_t width, const PlacedTail<kLevels>& tail,
    const ExceptionPlace& place, WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t lane = lane_id();
  const std::uint32_t i = place.first + min(lane, place.counts - 1);
  const NarrowFour low(at, lane * kLaneValues * width);
  const std::uint32_t position = __ldg(read_whole(tail.gaps).bytes() + i);
  const std::uint32_t high = __ldg(read_whole(tail.highs).bytes() + i);
  low.unpack(width, values);
  patch(lane < place.counts, position, (high + 1) << width, scratch, values);
}

/// The same of a list with one level: all that is read is on its way at once.
template <int kLevels>
__device__ __forceinline__ void usual_values(const std::uint8_t* at, std::uint32_t width,
                                             const PlacedTail<kLevels>& tail,
                                             const ExceptionPlace& place, WarpScratch& scratch,
                                             std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t lane = lane_id();
  const std::uint32_t count = place.counts & 0xFF;
  const NarrowFour low(at, lane * kLaneValues * width);
  const std::uint32_t i = place.first + min(lane, count - 1);
  const PackedValue gap(read_whole(tail.gaps), i);
  const PackedValue high(read_whole(tail.highs), i);
  // One half of the lanes has exceptions of gaps, the other of high bits.
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
