// Fills in the struct of each stage.
#include "gpu/run/batch_stages.hpp"

namespace warpdex::gpu {
namespace {

/// The struct of a stage with what it has in common with others.
template <class Stage, class Common>
Stage extend(const Common& common) {
  Stage stage{};
  static_cast<Common&>(stage) = common;
  return stage;
}

Batch make_batch(const BatchPlan& plan, const BatchPlaces& places, const ImageParts& image,
                 const GpuIndex::State& index, const PartFacts& facts) {
  return {.lists = image.lists,
          .exception_tails = places.exception_tails,
          .queries = image.queries,
          .states = places.states,
          .histograms = places.histograms,
          .candidates = places.candidates,
          .first_blocks = places.first_blocks,
          .work = plan.counts_work ? places.work : nullptr,
          .lengths = index.lengths,
          .static_scores = index.static_scores,
          .static_bounds = index.static_bounds,
          .documents = static_cast<std::uint32_t>(index.index.counts().documents),
          .k = plan.k,
          .list_count = plan.shape.lists,
          .and_queries = plan.shape.and_queries + plan.shape.and_fallback_queries,
          .form = facts.form,
          .c0 = facts.c0,
          .c1 = facts.c1,
          .prefetches_values = plan.round_count == 0,
          .overlaps_launches = facts.overlaps_launches};
}

OrTables make_tables(const Batch& batch, const BatchPlan& plan, const BatchPlaces& places,
                     const ImageParts& image) {
  auto tables = extend<OrTables>(batch);
  tables.suffix_bounds = places.suffix_bounds;
  tables.tile_bounds = places.tile_bounds;
  tables.competitive_tiles = places.competitive_tiles;
  tables.table_ranges = image.table_ranges;
  tables.table_range_count = plan.shape.table_ranges;
  tables.range_blocks = plan.shape.range_blocks;
  tables.or_queries = plan.shape.or_queries;
  tables.tiles = plan.tiles;
  tables.raise_every = plan.raise_every;
  tables.round_count = plan.round_count;
  return tables;
}

AndBatch make_matching(const Batch& batch, const BatchShape& shape, const ImageParts& image,
                       const PartFacts& facts) {
  auto matching = extend<AndBatch>(batch);
  matching.and_ranges = image.and_ranges;
  matching.and_fallback_queries = shape.and_fallback_queries;
  matching.and_range_count = shape.and_ranges + shape.and_fallback_ranges;
  matching.and_fallback_range_count = shape.and_fallback_ranges;
  matching.skips_nothing = facts.skips_nothing;
  return matching;
}

OrRounds make_rounds(const OrTables& tables, const BatchPlan& plan, const BatchPlaces& places,
                     const PartFacts& facts) {
  auto rounds = extend<OrRounds>(tables);
  rounds.tile_states = places.tile_states;
  rounds.tile_items = places.tile_items;
  rounds.tile_passes = places.tile_passes;
  rounds.rounds = places.rounds;
  rounds.blocks = places.blocks;
  rounds.block_chunks = places.block_chunks;
  rounds.lookup_documents = places.lookup_documents;
  rounds.document_chunks = places.document_chunks;
  rounds.max_blocks = plan.max_blocks;
  rounds.max_block_chunks = plan.max_block_chunks;
  rounds.max_documents = plan.max_documents;
  rounds.max_document_chunks = plan.max_document_chunks;
  rounds.chunk_blocks = plan.chunk_blocks;
  rounds.has_document_room = plan.has_document_room;
  rounds.spares_bus = facts.spares_bus;
  return rounds;
}

OrByBound make_by_bound(const OrTables& tables, const BatchPlan& plan, const BatchPlaces& places) {
  auto by_bound = extend<OrByBound>(tables);
  by_bound.competitive_blocks = places.competitive_blocks;
  by_bound.competitive_counters = places.competitive_counters;
  by_bound.max_competitive_blocks = plan.max_competitive_blocks;
  by_bound.first_phase_blocks = plan.first_phase_blocks;
  return by_bound;
}

FinishBatch make_finishing(const Batch& batch, const BatchPlan& plan, const BatchPlaces& places,
                           const ImageParts& image, const PartFacts& facts) {
  auto finishing = extend<FinishBatch>(batch);
  finishing.final_queries = image.final_queries;
  finishing.keys = places.keys;
  finishing.hits = facts.hits;
  finishing.answers = facts.answers;
  finishing.state_count = plan.queries;
  finishing.ticket = facts.ticket;
  finishing.has_clusters = facts.has_clusters;
  return finishing;
}

}  // namespace

BatchStages make_stages(const BatchPlan& plan, const BatchPlaces& places, const ImageParts& image,
                        const GpuIndex::State& index, const PartFacts& facts) {
  const Batch batch = make_batch(plan, places, image, index, facts);
  const OrTables tables = make_tables(batch, plan, places, image);
  return {make_matching(batch, plan.shape, image, facts), make_rounds(tables, plan, places, facts),
          make_by_bound(tables, plan, places), make_finishing(batch, plan, places, image, facts)};
}

}  // namespace warpdex::gpu
