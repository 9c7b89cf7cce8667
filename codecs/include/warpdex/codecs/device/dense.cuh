// Turns bit-set blocks into docIDs. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/ones.cuh"

namespace warpdex::device {

/// A bit set. Its constructor starts to read the first bits, so that other work for the block can
/// be done meanwhile. Each lane finds the ones in a contiguous piece of the bits. A warp scan over
/// their counts gives their ranks; they reach the lanes that must hold them by way of shared
/// memory.
class BitSet {
 public:
  /// `base` and `last` are as in BlockDecoder::docids(); for no bits, pass the same number twice.
  /// Reads up to 12 bytes past the end.
  __device__ __forceinline__ BitSet(const std::uint8_t* at, std::uint32_t base, std::uint32_t last)
      : at_(at),
        bits_(min(last - base, 8 * kMaxBlockBytes)),
        piece_(min((bits_ + kWarp - 1) / kWarp, kMaxPieceBits)),
        words_(at, lane_id() * piece_) {}

  /// The docIDs; those past `count` are undefined.
  __device__ __forceinline__ void get(std::uint32_t count, std::uint32_t base, WarpScratch& scratch,
                                      std::uint32_t (&docids)[kLaneValues]) const {
    const Positions positions(scratch);
    std::uint32_t found = 0;
    std::uint32_t origin = 0;  // of the pieces in this round
    TwoWords words = words_;
    for (;;) {
      const std::uint32_t position = origin + lane_id() * piece_;
      std::uint32_t word = words.get() & mask_of(min(piece_, max(bits_, position) - position));
      const std::uint32_t ones = __popc(word);
      const std::uint32_t rank = found + inclusive_sum(ones);
      if (rank - ones >= count) word = 0;
      put_ones(word, piece_, position, positions.address_of(rank - ones));
      origin += kWarp * piece_;
      if (origin >= bits_) break;  // nearly always in the first round
      found = __shfl_sync(kWholeWarp, rank, kWarp - 1);
      if (found >= count) break;
      words = TwoWords(at_, min(position + kWarp * piece_, bits_ - 1));
    }
    __syncwarp();
    positions.get(docids);
    __syncwarp();
#pragma unroll
    for (std::uint32_t& docid : docids) docid += base + 1;
  }

 private:
  const std::uint8_t* at_;
  std::uint32_t bits_;
  std::uint32_t piece_;  ///< bits of a lane
  TwoWords words_;
};

}  // namespace warpdex::device
