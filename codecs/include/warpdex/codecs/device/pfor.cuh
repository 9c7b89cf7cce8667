// Decodes the blocks of `pfor` on the GPU, after section 6 of Ding et al.: whole blocks
// (pfor_placed.cuh, pfor_usual.cuh) and single values (pfor_alone.cuh), in any order. Unlike in the
// paper, a block reads its own exceptions only. Tails have one level of recursion or none:
// make_exception_table() makes a tail of one level of one that has more. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_alone.cuh"
#include "warpdex/codecs/device/pfor_placed.cuh"
#include "warpdex/codecs/device/pfor_usual.cuh"

namespace warpdex::device::pfor {

/// Parses a list's tail; all zero if the list has no exceptions.
__device__ __forceinline__ PlacedTail parse_tail(const DeviceValues& list) {
  PlacedTail tail = {};
  if ((list.parameter & kExceptionsFlag) == 0) return tail;
  tail.parse(Bytes{list.tail}, Tail{0, (list.count + kBlockSize - 1) / kBlockSize, list.levels});
  return tail;
}

/// The values of a block, by the list's tail and the table's `place.exceptions`. All reads are
/// issued before anything waits for them, except for values that are too wide.
__device__ __forceinline__ void values(const DeviceValues& list, const PlacedTail& tail,
                                       const BlockPlace& place, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t lane = min(lane_id(), (place.count - 1) / kLaneValues);
  const NarrowFour low(place.at, lane * kLaneValues * width);
  PlacedExceptions exceptions(list, tail, place.exceptions);
  if (width <= kNarrowWidth) {
    low.unpack(width, values);
  } else {
    unpack(place.at, place.count, width, values);
  }
  exceptions.add(width, scratch, values);
}

/// One value, by one thread.
__device__ __forceinline__ std::uint32_t value_alone(const DeviceValues& list,
                                                     const PlacedTail& tail,
                                                     const BlockPlace& place, std::uint32_t index) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t low = read_bits(place.at, index * width, width);
  return low + (high_alone(tail, list.levels != 0, place.exceptions, index) << width);
}

}  // namespace warpdex::device::pfor
