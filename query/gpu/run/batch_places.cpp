// Lays out the pieces of a batch.
#include "gpu/run/batch_places.hpp"

#include <algorithm>

#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {

std::size_t place_cleared(void* begin, const BatchPlan& plan, BatchPlaces& places) {
  Arena arena(begin);
  places.states = arena.take<QueryState>(plan.queries);
  places.histograms = arena.take<std::uint32_t>(std::size_t{plan.queries} * kHistogramBins);
  places.tile_passes = arena.take<TileCounters>(kTilePasses);
  places.rounds = arena.take<RoundCounters>(kRounds);
  places.competitive_counters = arena.take<CompetitiveCounters>(1);
  places.work = arena.take<WorkCounters>(1);
  return arena.used();
}

std::size_t place_tables(void* begin, const BatchPlan& plan, BatchPlaces& places) {
  const BatchShape& shape = plan.shape;
  Arena arena(begin);
  places.first_blocks = arena.take<std::uint32_t>(shape.row_entries);
  places.suffix_bounds = arena.take<std::uint32_t>(shape.row_entries);
  places.tile_bounds = arena.take<std::uint32_t>(shape.tile_entries);
  if (plan.round_count == 0) {
    places.competitive_blocks =
        arena.take<CompetitiveBlock>(kBoundClasses * std::size_t{plan.max_competitive_blocks});
  } else {
    places.tile_states = arena.take<std::uint8_t>(shape.tile_entries);
    places.tile_items = arena.take<TileItem>(shape.tile_entries);
    places.blocks = arena.take<std::uint32_t>(plan.max_blocks);
    places.block_chunks = arena.take<Chunk>(plan.max_block_chunks);
  }
  places.exception_tails = arena.take<std::uint8_t>(plan.tails_bytes);
  places.competitive_tiles =
      arena.take<std::uint32_t>(std::size_t{shape.lists} * ((plan.tiles + 31) / 32));
  return arena.used();
}

/// Keys are made after all lookups, so they share memory with the documents to look up.
std::size_t place_documents(void* begin, const BatchPlan& plan, BatchPlaces& places) {
  Arena arena(begin);
  const std::size_t candidates = std::size_t{plan.queries} * plan.capacity;
  places.candidates = arena.take<Candidate>(candidates);
  Arena other = arena;
  places.keys = arena.take<unsigned long long>(candidates);
  places.lookup_documents = other.take<Candidate>(plan.max_documents);
  places.document_chunks = other.take<Chunk>(plan.max_document_chunks);
  return std::max(arena.used(), other.used());
}

}  // namespace warpdex::gpu
