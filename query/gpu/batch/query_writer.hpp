// Writes the queries of a batch's image, with their lists and stretches. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/batch/and_stretches.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/query_entries.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// What all queries of a batch have in common.
struct BatchRules {
  std::span<const SearchSettings> settings;  ///< one for all queries, or one for each
  ScorerSettings scorer;                     ///< that the index is scored by
  std::uint32_t ablation = 0;                ///< QueryFlags
  bool has_seeds = true;                     ///< OR's thresholds start at what seeds say
  std::uint32_t tiles = 0;                   ///< of the collection

  /// The settings of the query whose answer goes to `slot`.
  const SearchSettings& of(std::uint32_t slot) const {
    return settings[settings.size() == 1 ? 0 : slot];
  }
};

/// Writes some neighbouring queries of a batch, one after the other.
class QueryWriter {
 public:
  /// The image of a batch: its shape, and its parts on the host and on the GPU; candidates of each
  /// query that there is room for; of queries that run again, what came of it before, by slot, else
  /// null.
  struct Target {
    BatchShape shape;
    ImageParts host;
    ImageParts device;
    std::uint32_t capacity;
    const Answer* answers_so_far;
  };

  /// Keeps references. `before`: of the queries in front of the first. The stretches are those of
  /// the queries to be written, and have their places.
  QueryWriter(const PlacedIndex& index, const BatchRules& rules, const Target& target,
              const BatchShape& before, AndStretches& first, AndStretches& second)
      : index_(index),
        rules_(rules),
        lists_(index, rules.scorer),
        target_(target),
        before_(before),
        next_(before),
        first_(first),
        second_(second) {}

  /// The query whose answer goes to `slot`; one that is not `for_gpu` gets no entry but among the
  /// finals.
  void write(const PlannedQuery& plan, std::uint32_t slot, bool for_gpu);

 private:
  Query start_query(const QueryEntry& entry, std::uint32_t slot, std::uint32_t first_list) const;
  void write_lists(const PlannedQuery& plan, const QueryEntry& entry);
  void write_list(const PlannedTerm& term, std::uint32_t flags);
  double most_of_last(const Query& query) const;
  void set_scale(Query& query) const;
  void set_seed(const PlannedQuery& plan, const QueryEntry& entry, Query& query) const;
  void write_or(Query& query);
  void write_and(const Query& query);
  void write_second(const Query& query);

  const PlacedIndex& index_;
  const BatchRules& rules_;
  ListWriter lists_;
  const Target& target_;
  const BatchShape& before_;
  BatchShape next_;  ///< of all queries in front of the next
  AndStretches& first_;
  AndStretches& second_;
};

}  // namespace warpdex::gpu
