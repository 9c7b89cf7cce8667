// The blocks of posting lists on the GPU: one warp decodes a block of 128 values to registers, lane
// l values 4l to 4l + 3. Header-only device code, to be fused into the kernels that consume it.
//
// Work item: a block, by one warp whose 32 lanes are all active and converged; scratch memory in
// shared memory, only warp-wide barriers. Bound by instruction issue and by the latency of the
// loads, so give an SM many warps; docs/codecs.md counts the instructions.
//
// The bytes are believed: their checksums are checked before they are uploaded. Damaged bytes give
// wrong values, but every loop is bounded and nothing is written outside of the scratch memory.
#pragma once

#include "warpdex/codecs/codec.hpp"
#include "warpdex/codecs/device/dense.cuh"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor.cuh"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/rice.cuh"
#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// Blocks of a group share a base; the first group's is 0.
inline constexpr std::uint32_t kBaseGroup = 32;

/// Where a block of a list with block arrays is, and how to read it. Any thread, any block.
__device__ __forceinline__ BlockPlace locate(const DeviceValues& list, std::uint32_t block) {
  std::uint32_t offset = __ldg(list.offsets + block);
  if (block >= kBaseGroup) offset += __ldg(list.bases + (block / kBaseGroup - 1));
  const std::uint32_t left = list.count - block * kBlockSize;
  return {list.bytes + offset, block, __ldg(list.codes + block),
          static_cast<std::uint8_t>(min(left, kBlockSize))};
}

/// Decodes the blocks of one codec. `kPforLevels` is the most levels that lists of `pfor` have:
/// kernels for indexes of few levels are smaller and take fewer registers.
template <CodecKind kCodec, int kPforLevels = kMaxPforLevels>
struct BlockDecoder {
  /// The block's values; 0 past place.count. Not for dense blocks.
  static __device__ __forceinline__ void values(const DeviceValues& list, const BlockPlace& place,
                                                WarpScratch& scratch,
                                                std::uint32_t (&values)[kLaneValues]) {
    decode(list, place, scratch, values);
    fill_rest(place.count, 0, values);
  }

  /// The block's docIDs, ascending; 0xFFFFFFFF past place.count. `base` is the last docID of the
  /// block before, or 0xFFFFFFFF in a list's first; `last` is the block's last. Dense blocks too.
  static __device__ __forceinline__ void docids(const DeviceValues& list, const BlockPlace& place,
                                                std::uint32_t base, std::uint32_t last,
                                                WarpScratch& scratch,
                                                std::uint32_t (&docids)[kLaneValues]) {
    if (place.code == kDenseCode) {
      dense_docids(place.at, place.count, base, last, scratch, docids);
    } else if (kCodec == CodecKind::kRice && place.code == warpdex::rice::kRiceCode) {
      rice::docids(place.at, list.parameter, place.count, base, scratch, docids);
    } else {
      decode(list, place, scratch, docids);
      sum_gaps(base, docids);
    }
    fill_rest(place.count, 0xFFFFFFFF, docids);
  }

  /// One value, to all lanes. `place` and `index` (below place.count) are the same in all lanes.
  /// Not for dense blocks.
  static __device__ __forceinline__ std::uint32_t value_at(const DeviceValues& list,
                                                           const BlockPlace& place,
                                                           std::uint32_t index,
                                                           WarpScratch& scratch) {
    if constexpr (kCodec == CodecKind::kPfor) {
      return pfor::value_at<kPforLevels>(list, place, index, scratch);
    } else if constexpr (kCodec == CodecKind::kPforBlock) {
      return pfor_block::value_at(place, index);
    } else if constexpr (kCodec == CodecKind::kRice) {
      if (place.code == warpdex::rice::kRiceCode) {
        return rice::value_at(place.at, list.parameter, place.count, index, scratch);
      }
    }
    const std::uint32_t width = packed_width(place);
    return read_bits(place.at, index * width, width);
  }

 private:
  static __device__ __forceinline__ std::uint32_t packed_width(const BlockPlace& place) {
    return place.code - (kCodec == CodecKind::kRice ? warpdex::rice::kPackedCode : 0);
  }

  /// The values, and anything past place.count.
  static __device__ __forceinline__ void decode(const DeviceValues& list, const BlockPlace& place,
                                                WarpScratch& scratch,
                                                std::uint32_t (&values)[kLaneValues]) {
    if constexpr (kCodec == CodecKind::kPfor) {
      return pfor::values<kPforLevels>(list, place, scratch, values);
    } else if constexpr (kCodec == CodecKind::kPforBlock) {
      return pfor_block::values(place, scratch, values);
    } else if constexpr (kCodec == CodecKind::kRice) {
      if (place.code == warpdex::rice::kRiceCode) {
        return rice::values(place.at, list.parameter, place.count, scratch, values);
      }
    }
    unpack(place.at, packed_width(place), values);
  }
};

}  // namespace warpdex::device
