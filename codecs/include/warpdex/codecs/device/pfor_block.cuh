// The blocks of `pfor-block` on the GPU. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/warp.cuh"
#include "warpdex/codecs/pfor_block_layout.hpp"

namespace warpdex::device {

namespace pfor_block {

using warpdex::pfor_block::kHeaderBytes;
using warpdex::pfor_block::kPositionBits;

__device__ __forceinline__ std::uint32_t width_of(std::uint8_t code) {
  return code & (kExceptionsFlag - 1);
}

/// Calls visit(whether the lane has an exception, position, high bits) for the exceptions of a
/// block, 32 at a time. `width` is that of the packed part.
template <typename Visit>
__device__ __forceinline__ void for_each_exception(const BlockPlace& place, std::uint32_t width,
                                                   Visit visit) {
  if ((place.code & kExceptionsFlag) == 0) return;
  const std::uint8_t* header = place.at + (place.count * width + 7) / 8;
  const std::uint32_t count = min(std::uint32_t{__ldg(header)}, kBlockSize);
  const std::uint32_t high_width = min(std::uint32_t{__ldg(header + 1)}, 32U);
  const std::uint32_t entry_width = kPositionBits + high_width;
#pragma unroll 1
  for (std::uint32_t first = 0; first < count; first += kWarp) {
    const std::uint32_t i = first + lane_id();
    std::uint32_t position = 0;
    std::uint32_t high = 0;
    if (i < count) {
      position = read32(header + kHeaderBytes, i * entry_width) % kBlockSize;
      high = read_bits(header + kHeaderBytes, i * entry_width + kPositionBits, high_width) + 1;
    }
    visit(i < count, position, high);
  }
}

__device__ __forceinline__ void values(const BlockPlace& place, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t width = width_of(place.code);
  unpack(place.at, place.count, width, values);
  for_each_exception(place, width, [&](bool has, std::uint32_t position, std::uint32_t high) {
    patch(has, position, high << width, scratch, values);
  });
}

}  // namespace pfor_block
}  // namespace warpdex::device
