// Writes queries of a batch, with their lists. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/query_entries.hpp"
#include "gpu/batch/query_piece.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/batch/start_seed.hpp"
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

  /// The settings of the query whose answer goes to `slot`.
  const SearchSettings& of(std::uint32_t slot) const {
    return settings[settings.size() == 1 ? 0 : slot];
  }
};

/// Writes neighbouring queries of a batch to a piece, one after the other.
class QueryWriter {
 public:
  /// Keeps references. The piece has its states and nothing else. `answers_so_far` has the last
  /// answers of queries that run again, by slot; else it is null.
  QueryWriter(const PlacedSegments& segments, const BatchRules& rules, const Answer* answers_so_far,
              QueryPiece& piece)
      : segments_(segments),
        rules_(rules),
        answers_so_far_(answers_so_far),
        row_shift_(segments[segments.size() - 1].first_tile()),
        writer_(rules.scorer),
        piece_(piece) {}

  /// Writes the query whose answer goes to `slot`, in all segments. If it is not `for_gpu`, only
  /// its entry among final_queries is written, and what else there is for each query.
  void write(const SegmentPlans& plans, std::uint32_t slot, bool for_gpu);

 private:
  /// An entry whose lists are written.
  struct Written {
    std::size_t segment;
    const PlannedQuery* plan;  ///< in the segment
    QueryEntry entry;
    std::uint32_t first_list;
  };

  /// A term: no posting scores more, and so many documents have it, at most.
  struct TermBound {
    double bound;
    std::uint64_t documents;
  };

  void write_all_lists(const SegmentPlans& plans, std::uint32_t slot);
  std::uint64_t write_lists(std::size_t segment, const PlannedQuery& plan, const QueryEntry& entry);
  Query start_query(std::uint32_t slot) const;
  double max_kth_score(std::uint32_t k, std::span<const TermBound> terms) const;
  double max_counted(const PlannedQuery& whole, bool is_of_all, std::uint32_t k);
  void set_scale(double max_counted, bool weights_are_whole, Query& query) const;
  void set_known_threshold(Query& query) const;
  std::uint32_t seeded_threshold(const Query& query);
  std::span<const SeededList> seeded_lists();
  void write_entry(const Written& written, const Query& common, std::uint32_t or_threshold,
                   Query& final_query);
  void write_or(const Written& written, Query& query);
  void write_and(const Written& written, const Query& query);

  std::span<const ListSource> scoring_lists(const Written& written) const {
    return {piece_.lists.data() + written.first_list, written.entry.roles.scoring};
  }

  const PlacedSegments& segments_;
  const BatchRules& rules_;
  const Answer* answers_so_far_;
  /// Entries before the first row of each table by tile: BatchShape::row_shift.
  std::uint32_t row_shift_;
  std::vector<Written> written_;    ///< of the query that is written
  std::vector<SeededList> seeded_;  ///< likewise
  std::vector<TermBound> bounds_;   ///< likewise
  ListWriter writer_;
  QueryPiece& piece_;
};

}  // namespace warpdex::gpu
