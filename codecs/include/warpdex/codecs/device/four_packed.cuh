// Decodes four blocks of packed docIDs at once, each by eight lanes of a warp. For lookups, in
// which few lanes need the same block. Takes 1.5 times the instructions of one block by the whole
// warp, but waits for memory once instead of four times. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// Blocks that are decoded together, and the lanes of each.
inline constexpr std::uint32_t kBlocksAtOnce = 4;
inline constexpr std::uint32_t kGroupLanes = kWarp / kBlocksAtOnce;

/// A packed block of docIDs as gaps. 16 bytes, for shared memory.
struct alignas(16) PackedBlock {
  const std::uint8_t* at;
  std::uint32_t base;  ///< the last docID of the block before, or 0xFFFFFFFF
  std::uint8_t width;
  std::uint8_t count;
};

/// The docIDs of a block in shared memory, in an order that eight lanes can write, sixteen each,
/// without bank conflicts.
struct alignas(16) UnpackedBlock {
  std::uint32_t words[kBlockSize];

  static __device__ __forceinline__ std::uint32_t word_of(std::uint32_t place) {
    return place ^ (place >> 3 & 12);
  }
  /// The place of a docID, or `absent`. One thread.
  __device__ __forceinline__ std::uint32_t find(std::uint32_t docid, std::uint32_t absent) const {
    std::uint32_t place = 0;
#pragma unroll
    for (std::uint32_t step = kBlockSize / 2; step > 0; step /= 2) {
      if (words[word_of(place + step - 1)] < docid) place += step;
    }
    return words[word_of(place)] == docid ? place : absent;
  }
};

/// Adds the value of the lane `kDistance` below in the same group, if there is one.
template <int kDistance>
__device__ __forceinline__ std::uint32_t add_from_below_in_group(std::uint32_t value) {
  constexpr int kSegments = (kWarp - kGroupLanes) << 8;
  asm volatile(
      "{\n"
      "  .reg .u32 below;\n"
      "  .reg .pred exists;\n"
      "  shfl.sync.up.b32 below|exists, %0, %1, %2, 0xFFFFFFFF;\n"
      "  @exists add.u32 %0, %0, below;\n"
      "}"
      : "+r"(value)
      : "n"(kDistance), "n"(kSegments));
  return value;
}

/// Each group of eight lanes decodes the block that its lanes pass. A whole warp; barriers before
/// and after are the caller's.
__device__ __forceinline__ void unpack_four_blocks(const PackedBlock& block,
                                                   UnpackedBlock (&unpacked)[kBlocksAtOnce]) {
  constexpr std::uint32_t kOwn = kBlockSize / kGroupLanes;
  constexpr std::uint32_t kPieces = kOwn / kLaneValues;
  const std::uint32_t lane = lane_id() % kGroupLanes;
  const std::uint32_t last_piece = (block.count - 1U) / kLaneValues;
  std::uint32_t values[kPieces][kLaneValues];
#pragma unroll
  for (std::uint32_t i = 0; i < kPieces; ++i) {
    const std::uint32_t piece = min(lane * kPieces + i, last_piece);
    unpack_four(block.at, piece * kLaneValues * block.width, block.width, values[i]);
  }
  std::uint32_t sum = 0;
#pragma unroll
  for (auto& piece : values) {
#pragma unroll
    for (std::uint32_t& value : piece) value = sum += value + 1;
  }
  std::uint32_t before = add_from_below_in_group<1>(sum);
  before = add_from_below_in_group<2>(before);
  before = add_from_below_in_group<4>(before);
  before += block.base - sum;
  auto* const words = reinterpret_cast<uint4*>(unpacked[lane_id() / kGroupLanes].words);
#pragma unroll
  for (std::uint32_t i = 0; i < kPieces; ++i) {
    const std::uint32_t place = lane * kOwn + i * kLaneValues;
#pragma unroll
    for (std::uint32_t each = 0; each < kLaneValues; ++each) {
      values[i][each] = place + each < block.count ? values[i][each] + before : 0xFFFFFFFF;
    }
    words[UnpackedBlock::word_of(place) / kLaneValues] = {values[i][0], values[i][1], values[i][2],
                                                          values[i][3]};
  }
}

}  // namespace warpdex::device
