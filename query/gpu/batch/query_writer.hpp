// Writes the queries of a batch's image, with their lists and block ranges. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/query_entries.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// What all queries of a batch share.
struct BatchRules {
  std::span<const SearchSettings> settings;  ///< one for all queries, or one for each
  ScorerSettings scorer;                     ///< the index's own or the user's
  std::uint32_t ablation = 0;                ///< QueryFlags
  bool has_seeds = true;                     ///< OR's thresholds start at the seeds
  std::uint32_t tiles = 0;                   ///< of the collection

  /// The settings of the query whose answer goes to `slot`.
  const SearchSettings& of(std::uint32_t slot) const {
    return settings[settings.size() == 1 ? 0 : slot];
  }
};

/// Writes neighbouring queries of a batch, one after the other.
class QueryWriter {
 public:
  /// A batch's image: its shape, its parts on the host and on the GPU, and room for `capacity`
  /// candidates of each query. `answers_so_far` has the last answers of queries that run again, by
  /// slot; else it is null.
  struct Target {
    BatchShape shape;
    ImageParts host;
    ImageParts device;
    std::uint32_t capacity;
    const Answer* answers_so_far;
  };

  /// Keeps references. `before` has the sizes of all queries before the first one. The block ranges
  /// are those of the queries to be written; their places are known.
  QueryWriter(const PlacedIndex& index, const BatchRules& rules, const Target& target,
              const BatchShape& before, AndBlockRanges& first, AndBlockRanges& second)
      : index_(index),
        rules_(rules),
        lists_(index, rules.scorer),
        target_(target),
        before_(before),
        next_(before),
        and_ranges_(first),
        fallback_ranges_(second) {}

  /// Writes the query whose answer goes to `slot`. If it is not `for_gpu`, only its entry among
  /// final_queries is written.
  void write(const PlannedQuery& plan, std::uint32_t slot, bool for_gpu);

 private:
  Query start_query(const QueryEntry& entry, std::uint32_t slot, std::uint32_t first_list) const;
  void write_lists(const PlannedQuery& plan, const QueryEntry& entry);
  void write_list(const PlannedTerm& term, const CollectionStatistics& statistics,
                  std::uint32_t flags);
  double max_kth_score(const Query& query) const;
  void set_scale(Query& query, bool weights_are_whole) const;
  void set_known_threshold(Query& query) const;
  void set_seed(const PlannedQuery& plan, const QueryEntry& entry, Query& query) const;
  void write_or(Query& query);
  void write_and(const Query& query);
  void write_and_fallback(const Query& query);

  const PlacedIndex& index_;
  const BatchRules& rules_;
  ListWriter lists_;
  const Target& target_;
  const BatchShape& before_;
  BatchShape next_;  ///< sizes of all queries before the next one
  AndBlockRanges& and_ranges_;
  AndBlockRanges& fallback_ranges_;
};

}  // namespace warpdex::gpu
