// Where the pieces of a batch lie that its kernels write. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/run/batch_plan.hpp"

namespace warpdex::gpu {

/// Addresses in GPU memory; batch.hpp says what is there.
struct BatchPlaces {
  // Cleared before the first kernel:
  QueryState* states = nullptr;
  std::uint32_t* histograms = nullptr;
  TileCounters* tile_passes = nullptr;
  RoundCounters* rounds = nullptr;
  CompetitiveCounters* competitive_counters = nullptr;
  WorkCounters* work = nullptr;
  // Tables by tile, and blocks:
  std::uint32_t* first_blocks = nullptr;
  std::uint32_t* suffix_bounds = nullptr;
  std::uint32_t* tile_bounds = nullptr;
  CompetitiveBlock* competitive_blocks = nullptr;
  std::uint8_t* tile_states = nullptr;
  TileItem* tile_items = nullptr;
  std::uint32_t* blocks = nullptr;
  Chunk* block_chunks = nullptr;
  void* exception_tails = nullptr;
  std::uint32_t* competitive_tiles = nullptr;
  // Documents:
  Candidate* candidates = nullptr;
  unsigned long long* keys = nullptr;
  Candidate* lookup_documents = nullptr;
  Chunk* document_chunks = nullptr;
};

/// Each lays out one piece of a batch from `begin` on, fills in its places, and returns its bytes.
/// If `begin` is null, only the bytes are of use.
std::size_t place_cleared(void* begin, const BatchPlan& plan, BatchPlaces& places);
std::size_t place_tables(void* begin, const BatchPlan& plan, BatchPlaces& places);
std::size_t place_documents(void* begin, const BatchPlan& plan, BatchPlaces& places);

}  // namespace warpdex::gpu
