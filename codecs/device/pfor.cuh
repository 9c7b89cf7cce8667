// The blocks of `pfor` on the GPU, after section 3.2 of Ding et al.; pfor_levels.cuh has the
// list's tail. Unlike the paper's, a block reads its own exceptions only. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/pfor_levels.cuh"

namespace warpdex::device::pfor {

__device__ __forceinline__ std::uint32_t width_of(const DeviceValues& list) {
  return list.parameter & (kExceptionsFlag - 1);
}

/// A list's tail. A lone block's follows it; only lists of several blocks know an offset.
struct ListTail {
  Bytes bytes;
  Tail tail;

  __device__ __forceinline__ ListTail(const DeviceValues& list, const BlockPlace& place)
      : bytes{list.bytes}, tail{list.tail_offset, (list.count - 1) / kBlockSize + 1, list.levels} {
    if (list.count > kBlockSize) return;
    bytes.start = place.at;
    tail.at = (place.count * width_of(list) + 7) / 8;
  }
};

template <int kLevels>
__device__ __forceinline__ void values(const DeviceValues& list, const BlockPlace& place,
                                       WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(list);
  unpack(place.at, width, values);
  if ((list.parameter & kExceptionsFlag) == 0) return;
  const ListTail of(list, place);
  for_each_exception<kLevels>(of.bytes, of.tail, place.index, 0, kBlockSize, scratch,
                              [&](bool has, std::uint32_t position, std::uint32_t high) {
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
  const ListTail of(list, place);
  for_each_exception<kLevels>(of.bytes, of.tail, place.index, index, index + 1, scratch,
                              [&](bool has, std::uint32_t, std::uint32_t high) {
                                if (has) added = high << width;
                              });
  return low + __reduce_add_sync(kAllLanes, added);
}

}  // namespace warpdex::device::pfor
