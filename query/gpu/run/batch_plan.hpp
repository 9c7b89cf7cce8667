// Decides how a part of a batch is answered, and how much memory it gets for what. Plain C++ that
// reads no list's bytes. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/segment_plans.hpp"
#include "gpu/choice/or_choice.hpp"
#include "gpu/layout/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// Further attempts to answer a query that had more candidates or documents than room.
inline constexpr std::uint32_t kMaxRetries = 2;

/// The plan of a part. Where it names a member of OrRounds or OrByBound, it is that.
struct BatchPlan {
  BatchShape shape;
  std::uint32_t queries = 0;
  std::uint32_t k = 0;          ///< the largest of all queries
  std::uint32_t tiles = 0;      ///< where the tiles end
  std::uint32_t max_tiles = 0;  ///< of one segment
  bool is_small = false;        ///< few postings: more warps with less work each
  bool counts_work = false;
  /// This many queries, the first ones, have no OR, and are answered before the others.
  std::uint32_t early_queries = 0;

  OrChoice choice;
  std::uint32_t chunk_blocks = 0;
  std::uint32_t raise_every = 0;
  std::uint32_t first_phase_blocks = 0;

  /// Whether AND runs beside OR. Not if there are queries of AND+OR, whose OR depends on what AND
  /// matched, and not where work is counted.
  bool has_and_beside() const {
    return shape.and_queries > 0 && shape.or_queries > 0 && !shape.has_fallback && !counts_work;
  }

  // How much there is room for:
  std::size_t image_bytes = 0;
  std::size_t tails_bytes = 0;  ///< of parsed exception tails
  std::uint32_t capacity = 0;   ///< candidates of each query
  std::uint32_t max_competitive_blocks = 0;
  std::uint32_t max_blocks = 0;
  std::uint32_t max_block_chunks = 0;
  std::uint32_t max_documents = 0;
  std::uint32_t max_document_chunks = 0;
};

/// What plans depend on beside the batch.
struct PlannedCollection {
  std::uint64_t documents = 0;
  CodecKind codec = CodecKind::kBitpack;
  bool is_resident = true;  ///< all lists are in GPU memory
  /// The documents of each segment, and where the tiles end; those of one index if left out.
  std::vector<std::uint64_t> segments{};
  std::uint32_t tile_end = 0;
};

/// Plans the parts of batches. A `share` is the GPU memory, in bytes, that a part may take. At the
/// second `attempt` (1) each query gets more room, at the third it is alone.
class BatchPlanner {
 public:
  BatchPlanner(const PlannedCollection& collection, const GpuAblation& ablation)
      : collection_(collection), ablation_(ablation) {
    if (collection_.segments.empty()) collection_.segments = {collection_.documents};
  }

  /// How many of the queries `slots`, from the first on, make a part: as many as there should be
  /// memory for, at least one. O(queries) if there is much, O(terms of the whole) if all make one
  /// part, else O(terms of segments).
  std::size_t queries_of_part(SegmentPlans plans, std::span<const std::uint32_t> slots,
                              std::uint32_t k, std::uint32_t attempt, std::size_t share) const;

  /// Whether each query that the GPU can answer would find memory alone, at the first attempt.
  bool has_room_for_each(SegmentPlans plans, std::span<const std::uint32_t> slots, std::uint32_t k,
                         std::size_t share) const;

  /// Plans a part of this shape, of `queries` queries. Its regions fit into the share if the
  /// smallest room for candidates, blocks and documents does; lists are decoded once only if their
  /// postings fit beside. O(1).
  BatchPlan plan(const BatchShape& shape, std::uint32_t queries, std::uint32_t k,
                 std::uint32_t attempt, std::size_t share) const;

 private:
  /// What a query needs, estimated.
  struct Estimate {
    std::size_t bytes;
    std::uint64_t rows;  ///< entries of the tables by list and tile
  };

  bool fit_by_whole(SegmentPlans plans, std::span<const std::uint32_t> slots, std::uint32_t k,
                    std::size_t share) const;
  std::uint32_t min_capacity(std::uint32_t k, std::uint32_t attempt) const;
  Estimate estimate(const SegmentPlans& plans, std::uint32_t slot, std::uint32_t k,
                    std::uint32_t attempt) const;
  void add_estimate(const PlannedQuery& plan, std::uint64_t documents, std::uint32_t attempt,
                    Estimate& estimate) const;
  BatchPlan start_plan(const BatchShape& shape, std::uint32_t queries, std::uint32_t k) const;
  void finish_plan(std::uint32_t attempt, OrMemory memory, BatchPlan& plan) const;
  void choose_or(std::uint32_t attempt, const OrMemory& memory, BatchPlan& plan) const;
  void divide_memory(std::uint32_t attempt, std::size_t share, BatchPlan& plan) const;

  PlannedCollection collection_;
  GpuAblation ablation_;
};

}  // namespace warpdex::gpu
