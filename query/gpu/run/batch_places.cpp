// Lays out the regions of a batch.
#include "gpu/run/batch_places.hpp"

#include <algorithm>

#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {

std::size_t place_cleared(void* begin, const BatchPlan& plan, BatchStages& stages) {
  Arena arena(begin);
  stages.rounds.states = arena.take<QueryState>(plan.queries);
  stages.rounds.histograms = arena.take<std::uint32_t>(std::size_t{plan.queries} * kHistogramBins);
  stages.rounds.tile_passes = arena.take<TileCounters>(kTilePasses);
  stages.rounds.rounds = arena.take<RoundCounters>(kRounds);
  stages.rounds.stored_counts =
      arena.take<std::uint32_t>(plan.shape.stored_rows == 0 ? 0 : 2 * std::size_t{plan.tiles});
  stages.rounds.stored_saving = arena.take<unsigned long long>(2);
  stages.by_bound.competitive_counters = arena.take<CompetitiveCounters>(1);
  auto* const work = arena.take<WorkCounters>(1);
  stages.rounds.work = plan.counts_work ? work : nullptr;
  return arena.used();
}

std::size_t place_tables(void* begin, const BatchPlan& plan, BatchStages& stages) {
  const BatchShape& shape = plan.shape;
  Arena arena(begin);
  const std::uint32_t rows = shape.row_shift + shape.row_entries;
  const std::uint32_t tiles = shape.row_shift + shape.tile_entries;
  stages.rounds.first_blocks = arena.take<std::uint32_t>(rows);
  stages.rounds.suffix_bounds = arena.take<std::uint32_t>(rows);
  stages.rounds.tile_bounds = arena.take<std::uint32_t>(tiles);
  if (plan.choice.is_by_bound()) {
    stages.by_bound.competitive_blocks =
        arena.take<CompetitiveBlock>(kBoundClasses * std::size_t{plan.max_competitive_blocks});
  } else {
    stages.rounds.tile_states = arena.take<std::uint8_t>(tiles);
    stages.rounds.tile_items = arena.take<TileItem>(shape.tile_entries);
    stages.rounds.blocks = arena.take<std::uint32_t>(plan.max_blocks);
    stages.rounds.block_chunks = arena.take<Chunk>(plan.max_block_chunks);
  }
  if (shape.stored_rows > 0) {
    stages.rounds.stored = arena.take<StoredPosting>(std::size_t{shape.stored_blocks} * kBlockSize);
    stages.rounds.stored_starts =
        arena.take<std::uint32_t>(std::size_t{shape.stored_rows} * tile_row_entries(plan.tiles));
    const bool searches = !shape.adds_stored();
    stages.rounds.stored_uses = arena.take<StoredUse>(searches ? shape.lists : 0);
    stages.rounds.stored_queries = arena.take<StoredQuery>(searches ? shape.or_queries : 0);
    stages.rounds.stored_items =
        arena.take<std::uint32_t>(std::size_t{shape.or_queries} * plan.tiles);
  }
  stages.rounds.exception_tails = arena.take<std::uint8_t>(plan.tails_bytes);
  stages.rounds.competitive_tiles =
      arena.take<std::uint32_t>(std::size_t{shape.lists} * ((plan.tiles + 31) / 32));
  return arena.used();
}

/// Keys are made after all lookups, so they share memory with the documents to look up. Those of
/// early queries, which come first, are made beside lookups.
std::size_t place_documents(void* begin, const BatchPlan& plan, BatchStages& stages) {
  Arena arena(begin);
  const std::size_t candidates = std::size_t{plan.queries} * plan.capacity;
  stages.rounds.candidates = arena.take<Candidate>(candidates);
  const std::size_t early = std::size_t{plan.early_queries} * plan.capacity;
  stages.finishing.keys = arena.take<unsigned long long>(early);
  Arena other = arena;
  arena.take<unsigned long long>(candidates - early);
  stages.rounds.lookup_documents = other.take<Candidate>(plan.max_documents);
  stages.rounds.document_chunks = other.take<Chunk>(plan.max_document_chunks);
  return std::max(arena.used(), other.used());
}

}  // namespace warpdex::gpu
