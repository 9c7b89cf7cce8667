// Decodes the blocks of `pfor` on the GPU, after section 3.2 of Ding et al.: single blocks in any
// order (pfor_placed.cuh) and single values (pfor_alone.cuh), of tails with up to one level, or
// many blocks in turn (pfor_cursor.cuh), of tails with any levels. Unlike in the paper, a block
// reads its own exceptions only. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_alone.cuh"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/pfor_cursor.cuh"
#include "warpdex/codecs/device/pfor_placed.cuh"
#include "warpdex/codecs/device/pfor_usual.cuh"

namespace warpdex::device::pfor {

/// Parses a list's tail, to a ListTail or a PlacedTail; all zero if the list has no exceptions.
/// Levels beyond kLevels are ignored, since there would be no scratch memory for them.
template <int kLevels, template <int> class Parsed>
__device__ __forceinline__ Parsed<kLevels> parse_tail(const DeviceValues& list) {
  Parsed<kLevels> tail = {};
  if ((list.parameter & kExceptionsFlag) == 0) return tail;
  tail.parse(Bytes{list.tail}, Tail{0, (list.count + kBlockSize - 1) / kBlockSize,
                                    min(std::uint32_t{list.levels}, std::uint32_t{kLevels})});
  return tail;
}

/// The values of a block, by the list's tail and the table's `place.exceptions`. All reads are
/// issued before anything waits for them, except for values that are too wide.
template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, const PlacedTail<kLevels>& tail,
                                       const BlockPlace& place, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t lane = min(lane_id(), (place.count - 1) / kLaneValues);
  const NarrowFour low(place.at, lane * kLaneValues * width);
  PlacedExceptions<kLevels> exceptions(list, tail, place.exceptions);
  if (width <= kNarrowWidth) {
    low.unpack(width, values);
  } else {
    unpack(place.at, place.count, width, values);
  }
  exceptions.add(width, scratch, values);
}

/// The same by a cursor of the list. It seeks before the low bits are read, since these would only
/// take registers meanwhile.
template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, Cursor<kLevels>& cursor,
                                       const BlockPlace& place, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  const bool has_exceptions = (list.parameter & kExceptionsFlag) != 0;
  Range found = {0, 0};
  if (has_exceptions) found = cursor.seek(place.index, scratch);
  unpack(place.at, place.count, width, values);
  if (!has_exceptions) return;
  cursor.for_each_exception(found, [&](bool has, std::uint32_t position, std::uint32_t high) {
    patch(has, position, high << width, scratch, values);
  });
}

/// One value, by one thread.
template <int kLevels>
__device__ __forceinline__ std::uint32_t value_alone(const DeviceValues& list,
                                                     const PlacedTail<kLevels>& tail,
                                                     const BlockPlace& place, std::uint32_t index) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t low = read_bits(place.at, index * width, width);
  return low + (high_alone(tail, list.levels != 0, place.exceptions, index) << width);
}

}  // namespace warpdex::device::pfor
