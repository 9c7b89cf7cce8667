// The shared memory of a CTA that adds up a piece of a long query, and what all CTAs share.
// Internal to or_pieces.cu.
#pragma once

#include "gpu/device/list_reader.cuh"
#include "gpu/device/score.cuh"
#include "gpu/kernels/pieces/or_pieces.hpp"

namespace warpdex::gpu {
namespace or_pieces {

inline constexpr std::uint32_t kWarps = 20;
inline constexpr std::uint32_t kThreads = kWarps * kWarp;
inline constexpr std::uint32_t kCtas = 2;  ///< of a multiprocessor

/// CTAs that have finished, of the sample and of all pieces. They lie where queries that OR takes
/// in rounds have the counters of the first one; the host has cleared these.
struct PieceCounters {
  std::uint32_t sampled;
  std::uint32_t added;
};
static_assert(sizeof(PieceCounters) <= sizeof(RoundCounters));
__device__ inline PieceCounters& counters_of(const OrRounds& batch) {
  return *reinterpret_cast<PieceCounters*>(batch.rounds);
}

/// The data of a block that a warp needs to decode it. One read of shared memory gets all of it.
struct alignas(16) BlockNote {
  std::uint32_t docids;  ///< the first bit of its docIDs, from the list's first whole word on
  std::uint32_t values;  ///< likewise
  std::uint32_t base;    ///< the last docID before it, counted from the first of the piece
  /// From the lowest bit on: bits of docIDs that a lane decodes (8), the width of a value (5),
  /// kDense, kInside, kOther, and the bits of a bit set (16).
  std::uint32_t form;

  __device__ std::uint32_t docid_bits() const { return form & 255; }
  __device__ std::uint32_t value_width() const { return form >> 8 & 31; }
  __device__ std::uint32_t span() const { return form >> 16; }
};
static_assert(sizeof(BlockNote) == sizeof(uint4));
/// The block's docIDs are a bit set.
inline constexpr std::uint32_t kDense = 1U << 13;
/// All documents of the block are in the piece.
inline constexpr std::uint32_t kInside = 1U << 14;
/// The block is not full, has wide values, or its units may exceed the cap of the query.
inline constexpr std::uint32_t kOther = 1U << 15;

/// Blocks of a list that meet the piece.
struct ListShare {
  std::uint32_t first;
  std::uint32_t count;
};

/// Of one warp.
struct WarpMemory {
  BlockNote notes[kWarp + 1];  ///< of the blocks that it adds next
  device::WarpScratch scratch;
};

struct Memory {
  /// By document: its sum in the low half. The high half has no meaning: it collects the exponents
  /// of the floats that are added as they are. Then there is one for each lane, for documents that
  /// are not in the piece.
  std::uint32_t sums[kMaxPiece + kWarp];
  float parts[kMaxPiece + kWarp];  ///< by document: its length_part
  union {
    WarpMemory warps[kWarps];            ///< while lists are added
    std::uint32_t bins[kHistogramBins];  ///< afterwards
  };
  ListShare lists[kMaxLists];
  std::uint32_t taken;  ///< lists
  std::uint32_t found;  ///< documents that reach the threshold
  std::uint32_t place;  ///< where the next one of them goes
  bool is_last;         ///< this CTA is the last one
};

}  // namespace or_pieces
}  // namespace warpdex::gpu
