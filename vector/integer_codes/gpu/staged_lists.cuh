// Candidates on their way from the tiles of a product to the lists of their queries.
#pragma once

#include <cstdint>

#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/panel_product.cuh"

namespace warpdex::vector {

/// What a tile keeps.
struct StagedTile {
  static constexpr std::uint32_t kRoom = kProductThreads;

  std::uint32_t count;  ///< may pass the room, by those that were appended at once
  std::uint32_t queries[kRoom];
  Candidate candidates[kRoom];
};

/// Appends candidates without waiting for atomic operations. What a tile keeps is put in shared
/// memory. With the next tile, each thread asks for a place for one of these; with the one after
/// it, places are there, and candidates are written. All threads of the CTA; there is a barrier
/// between two tiles.
class StagedLists {
 public:
  __device__ StagedLists(const CandidateLists& lists, StagedTile (&tiles)[3])
      : lists_(lists), tiles_(tiles) {
    if (threadIdx.x < 3) tiles_[threadIdx.x].count = 0;
  }

  __device__ __forceinline__ void begin_tile() {
    write();
    ask(tiles_[(own_ + 2) % 3]);
    if (threadIdx.x == 0) tiles_[(own_ + 1) % 3].count = 0;
  }
  __device__ __forceinline__ void end_tile() { own_ = (own_ + 1) % 3; }

  /// Any thread.
  __device__ __forceinline__ void add(std::uint32_t query, const Candidate& candidate) {
    const std::uint32_t at = atomicAdd(&tiles_[own_].count, 1U);
    if (at < StagedTile::kRoom) {
      tiles_[own_].queries[at] = query;
      tiles_[own_].candidates[at] = candidate;
    } else {
      append(lists_, query, candidate.sum, candidate.place);
    }
  }

  /// After the last tile.
  __device__ void finish() {
    write();
    __syncthreads();
    ask(tiles_[(own_ + 2) % 3]);
    write();
  }

 private:
  __device__ __forceinline__ void ask(const StagedTile& tile) {
    has_asked_ = threadIdx.x < min(tile.count, StagedTile::kRoom);
    if (!has_asked_) return;
    query_ = tile.queries[threadIdx.x];
    candidate_ = tile.candidates[threadIdx.x];
    at_ = atomicAdd(lists_.counts + query_, 1U);
  }
  __device__ __forceinline__ void write() {
    if (has_asked_ && at_ < lists_.capacity) {
      lists_.candidates[query_ * lists_.capacity + at_] = candidate_;
    }
    has_asked_ = false;
  }

  const CandidateLists& lists_;
  StagedTile (&tiles_)[3];
  std::uint32_t own_ = 0;  ///< the tile that candidates are put in
  bool has_asked_ = false;
  std::uint32_t query_ = 0;
  std::uint32_t at_ = 0;
  Candidate candidate_{};
};

}  // namespace warpdex::vector
