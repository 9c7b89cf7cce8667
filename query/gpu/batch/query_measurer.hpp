// Measures queries: finds their terms' lists, their entries in each segment, and the room that
// these need in the image. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/query_entries.hpp"
#include "gpu/batch/query_slice.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/batch/start_seed.hpp"
#include "gpu/batch/term_rows.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// The rules that all queries of a batch share.
struct BatchRules {
  std::span<const SearchSettings> settings;  ///< one for all queries, or one for each
  ScorerSettings scorer;                     ///< the index's own or the user's
  std::uint32_t flags = 0;                   ///< QueryFlags of all queries
  bool adds_up_long = false;                 ///< as the function says
  bool has_seeds = true;                     ///< OR's thresholds start at the seeds
  bool is_filtered = false;                  ///< by a filter: k live documents may be fewer matches
  /// If it is, the share of the documents that pass, where OR may start from a threshold that is
  /// only likely; 0: it may not.
  double passing_share = 0;

  /// The settings of the query whose answer goes to `slot`.
  const SearchSettings& of(std::uint32_t slot) const {
    return settings[settings.size() == 1 ? 0 : slot];
  }
};

/// Measures the queries of a slice.
class QueryMeasurer {
 public:
  /// Keeps references. The slice must have its states and nothing else. `answers_so_far` has, by
  /// slot, the last answers of queries that run again, or is null.
  QueryMeasurer(const PlacedSegments& segments, const BatchRules& rules,
                const Answer* answers_so_far, TermRows& rows, QuerySlice& slice)
      : segments_(segments),
        rules_(rules),
        answers_so_far_(answers_so_far),
        rows_(rows),
        slice_(slice) {}

  /// Measures the queries whose answers go to `slots`. Throws FormatError for damage.
  void measure(const SegmentPlans& plans, std::span<const std::uint32_t> slots);

 private:
  /// Upper bounds of a term.
  struct TermBound {
    double bound;             ///< of the score of a posting
    std::uint64_t documents;  ///< of the documents that have it
  };

  // query_terms.cpp:
  void start_query(const SegmentPlans& plans, std::uint32_t slot);
  void add_terms(const SegmentPlans& plans, const PlannedQuery& plan, SliceQuery& query,
                 bool prohibited);
  void find_lists(const SegmentPlans& plans);
  void describe_lists();
  void find_row(std::span<const PlannedQuery> plans, SliceTerm& term);
  void send_lists(SliceTerm& term);
  void set_scorers(const PlannedQuery& whole, const SliceQuery& query);
  static void prefetch(const SegmentPlans& plans, std::span<const std::uint32_t> slots,
                       std::size_t next);

  // query_measurer.cpp:
  void measure_query(const SegmentPlans& plans, SliceQuery& query);
  void find_runs(const SegmentPlans& plans, SliceQuery& query);
  std::uint32_t live_postings(const SegmentPlans& plans, std::uint32_t slot) const;
  void add_run(const SegmentPlans& plans, SliceQuery& query, TermSet present, std::uint32_t begin,
               std::uint32_t end);
  ListSums sum_lists(const SliceQuery& query, const SegmentRun& run) const;
  void count_run(const SliceQuery& query, SegmentRun& run);
  void count_and(const SliceQuery& query, const SegmentRun& run, const QueryEntry& entry);
  void count_or(const SliceQuery& query, const SegmentRun& run, const QueryEntry& entry);

  // query_scale.cpp:
  double max_kth_score(std::uint32_t k, std::span<const TermBound> terms) const;
  double max_counted(const SliceQuery& query, bool is_of_all);
  void set_scale(double max_counted, bool weights_are_whole, SliceQuery& of) const;
  void set_known_threshold(Query& query) const;
  std::uint32_t seed_rank(std::uint32_t k) const;
  std::uint32_t seeded_threshold(SliceQuery& of);
  std::span<const SeededList> seeded_lists(const SliceQuery& query);

  const PlacedSegments& segments_;
  const BatchRules& rules_;
  const Answer* answers_so_far_;
  TermRows& rows_;
  std::vector<SeededList> seeded_;  ///< of the query that is measured
  std::vector<TermBound> bounds_;   ///< likewise
  QuerySlice& slice_;
};

}  // namespace warpdex::gpu
