// The blocks of `pfor` on the GPU, after section 3.2 of Ding et al.; pfor_levels.cuh has the
// list's tail. Unlike the paper's, a block reads its own exceptions only. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/pfor_cursor.cuh"

namespace warpdex::device::pfor {

__device__ __forceinline__ std::uint32_t width_of(const DeviceValues& list) {
  return list.parameter & (kExceptionsFlag - 1);
}

/// Reads what is to be known of a list's tail; nothing, if the list has no exceptions. `first` is
/// the list's first block: a lone block's tail follows it, only lists of several know an offset.
/// More levels than there may be would take more scratch memory than there is.
template <int kLevels>
__device__ __forceinline__ ListTail<kLevels> tail_of(const DeviceValues& list,
                                                     const std::uint8_t* first) {
  ListTail<kLevels> tail = {};
  if ((list.parameter & kExceptionsFlag) == 0) return tail;
  const bool lone = list.count <= kBlockSize;
  tail.parse(Bytes{first}, Tail{lone ? (list.count * width_of(list) + 7) / 8 : list.tail_offset,
                                (list.count + kBlockSize - 1) / kBlockSize,
                                min(std::uint32_t{list.levels}, std::uint32_t{kLevels})});
  return tail;
}

/// The tail for one block: a lone block may be known by its place only.
template <int kLevels>
__device__ __forceinline__ ListTail<kLevels> tail_for(const DeviceValues& list,
                                                      const BlockPlace& place) {
  return tail_of<kLevels>(list, list.count <= kBlockSize ? place.at : list.bytes);
}

/// The values of a block, by the list's tail.
template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, const ListTail<kLevels>& tail,
                                       const BlockPlace& place, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  unpack(place.at, place.count, width, values);
  if ((list.parameter & kExceptionsFlag) == 0) return;
  for_each_exception(tail, place.index, 0, kBlockSize, scratch,
                     [&](bool has, std::uint32_t position, std::uint32_t high) {
                       patch(has, position, high << width, scratch, values);
                     });
}

template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, const BlockPlace& place,
                                       WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  pfor::values(list, tail_for<kLevels>(list, place), place, scratch, values);
}

/// The same by a cursor of the list. It seeks first: the low bits would only take registers
/// meanwhile.
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

template <int kLevels>
__device__ __forceinline__ std::uint32_t value_at(const DeviceValues& list, const BlockPlace& place,
                                                  std::uint32_t index, WarpScratch& scratch) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t low = read_bits(place.at, index * width, width);
  if ((list.parameter & kExceptionsFlag) == 0) return low;
  std::uint32_t added = 0;
  for_each_exception(tail_for<kLevels>(list, place), place.index, index, index + 1, scratch,
                     [&](bool has, std::uint32_t, std::uint32_t high) {
                       if (has) added = high << width;
                     });
  return low + __reduce_add_sync(kAllLanes, added);
}

}  // namespace warpdex::device::pfor
