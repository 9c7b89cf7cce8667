// Fills in the structs of the stages, then what they have in common.
#include "gpu/run/batch_stages.hpp"

#include <algorithm>

#include "gpu/kernels/kernels.cuh"

namespace warpdex::gpu {
namespace {

/// What it costs to decode and to write a block, in instructions of a warp, as the estimates of
/// begin_round.
constexpr std::uint64_t kStoreBlockCost = 670;

void complete_batch(const BatchPlan& plan, const ImageParts& image, const SearchedIndex& index,
                    const PartFacts& facts, Batch& batch) {
  batch.lists = image.lists;
  batch.queries = image.queries;
  batch.lengths = index.lengths;
  batch.static_scores = index.static_scores;
  batch.static_bounds = index.static_bounds;
  batch.removed = facts.removed;
  batch.documents = index.document_end;
  batch.k = plan.k;
  batch.list_count = plan.shape.lists;
  batch.and_queries = plan.shape.and_queries + plan.shape.and_fallback_queries;
  batch.form = facts.form;
  batch.scorer_number = static_cast<std::uint8_t>(facts.scorer);
  batch.c0 = facts.c0;
  batch.c1 = facts.c1;
  batch.fields = facts.fields;
  batch.prefetches_values = plan.choice.is_by_bound();
  batch.overlaps_launches = facts.overlaps_launches;
  batch.are_huge = plan.shape.are_huge;
}

/// Threads for a block range. Where ranges are many, by their blocks on average, so that more run
/// at once.
std::uint32_t range_threads(const BatchShape& shape, bool is_by_bound) {
  constexpr std::uint32_t kThreads = 256;
  constexpr std::uint32_t kFewThreads = 64;
  constexpr std::uint32_t kManyRanges = 2048;
  constexpr std::uint32_t kWarpThreads = 32;
  if (shape.table_ranges < kManyRanges) return kThreads;
  const auto blocks = static_cast<std::uint32_t>(shape.or_blocks / shape.table_ranges);
  if (!is_by_bound) return blocks < kFewThreads ? kFewThreads : kThreads;
  return std::min(blocks / kWarpThreads * kWarpThreads + kWarpThreads, kThreads);
}

void complete_tables(const BatchPlan& plan, const ImageParts& image, OrTables& tables) {
  tables.table_ranges = image.table_ranges;
  tables.table_range_count = plan.shape.table_ranges;
  tables.range_blocks = plan.shape.range_blocks;
  tables.range_threads = range_threads(plan.shape, plan.choice.is_by_bound());
  tables.or_queries = plan.shape.or_queries;
  tables.tiles = plan.tiles;
  tables.max_tiles = plan.max_tiles;
  tables.tile_count = plan.shape.tile_entries;
  tables.tile_pieces = plan.choice.tile_pieces;
  tables.query_tiles = plan.shape.segments > 1 ? image.query_tiles : nullptr;
  tables.query_tile_count = plan.shape.or_states;
  tables.is_one_query = plan.shape.or_queries == 1 || plan.shape.queries == 1;
  tables.raise_every = plan.raise_every;
  tables.round_count = plan.choice.rounds;
}

}  // namespace

void complete(const BatchPlan& plan, const ImageParts& image, const SearchedIndex& index,
              const PartFacts& facts, BatchStages& stages) {
  auto& [matching, rounds, by_bound, finishing] = stages;
  complete_batch(plan, image, index, facts, rounds);
  complete_tables(plan, image, rounds);
  rounds.tile_room = tile_room(rounds, index.codec_kind);
  // Sums of huge queries are twice as wide, so there is room for half the documents.
  const std::uint32_t least_pieces = rounds.are_huge ? kMaxItemTiles / rounds.tile_room.tiles : 1;
  rounds.tile_pieces = std::max(rounds.tile_pieces, least_pieces);
  rounds.max_blocks = plan.max_blocks;
  rounds.max_block_chunks = plan.max_block_chunks;
  rounds.max_documents = plan.max_documents;
  rounds.max_document_chunks = plan.max_document_chunks;
  rounds.chunk_blocks = plan.chunk_blocks;
  rounds.has_document_room = plan.choice.has_document_room;
  rounds.spares_bus = facts.spares_bus;
  rounds.stored_ranges = image.stored_ranges;
  rounds.stored_range_count = plan.shape.stored_ranges;
  rounds.stored_marked = image.stored_marked;
  rounds.stored_marked_count = plan.shape.stored_marked;
  rounds.stored_cost = kStoreBlockCost * plan.shape.stored_blocks;
  rounds.stores_all = facts.stores_all;
  rounds.adds_stored = plan.shape.adds_stored();
  by_bound.max_competitive_blocks = plan.max_competitive_blocks;
  by_bound.first_phase_blocks = plan.first_phase_blocks;
  matching.and_ranges = image.and_ranges;
  matching.and_fallback_queries = plan.shape.and_fallback_queries;
  matching.and_range_count = plan.shape.and_ranges + plan.shape.and_fallback_ranges;
  matching.and_fallback_range_count = plan.shape.and_fallback_ranges;
  matching.has_short_ranges = plan.shape.range_blocks < kRangeBlocks;
  matching.skips_nothing = facts.skips_nothing;
  finishing.final_queries = image.final_queries;
  finishing.list_matches = image.list_matches;
  finishing.list_spans = plan.shape.segments > 1 ? image.list_spans : nullptr;
  finishing.space = index.space;
  finishing.segments = plan.shape.segments;
  finishing.hits = facts.hits;
  finishing.answers = facts.answers;
  finishing.state_count = plan.queries;
  finishing.ticket = facts.ticket;
  finishing.has_clusters = facts.has_clusters;
  finishing.rescores_apart = plan.choice.shares_scores;
  static_cast<OrTables&>(by_bound) = rounds;
  static_cast<Batch&>(matching) = rounds;
  static_cast<Batch&>(finishing) = rounds;
}

}  // namespace warpdex::gpu
