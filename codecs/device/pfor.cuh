// The blocks of `pfor` on the GPU, after section 3.2 of Ding et al.; pfor_exceptions.cuh has the
// list's tail. Unlike the paper's, a block reads its own exceptions only. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/pfor_exceptions.cuh"

namespace warpdex::device::pfor {

__device__ __forceinline__ std::uint32_t width_of(const DeviceValues& list) {
  return list.parameter & (kExceptionsFlag - 1);
}

/// A lone block's tail follows it; only lists of several blocks know an offset.
__device__ __forceinline__ Tail tail_of(const DeviceValues& list, const BlockPlace& place) {
  if (list.count <= kBlockSize) {
    return {place.at + (place.count * width_of(list) + 7) / 8, 1, list.levels};
  }
  return {list.bytes + list.tail_offset, (list.count - 1) / kBlockSize + 1, list.levels};
}

template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, const BlockPlace& place,
                                       WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  unpack(place.at, width, values);
  if ((list.parameter & kExceptionsFlag) == 0) return;
  Patches patches(scratch);
  for_each_exception<kLevels>(tail_of(list, place), place.index, 0, kBlockSize, scratch,
                              [&](bool has, std::uint32_t position, std::uint32_t high) {
                                if (has) patches.put(position, high << width);
                              });
  patches.add_to(values);
}

template <int kLevels>
__device__ __forceinline__ std::uint32_t value_at(const DeviceValues& list, const BlockPlace& place,
                                                  std::uint32_t index, WarpScratch& scratch) {
  const std::uint32_t width = width_of(list);
  const std::uint32_t low = read_bits(place.at, index * width, width);
  if ((list.parameter & kExceptionsFlag) == 0) return low;
  std::uint32_t added = 0;
  for_each_exception<kLevels>(tail_of(list, place), place.index, index, index + 1, scratch,
                              [&](bool has, std::uint32_t, std::uint32_t high) {
                                if (has) added = high << width;
                              });
  return low + __reduce_add_sync(kAllLanes, added);
}

}  // namespace warpdex::device::pfor
