// Writes the queries of a batch's image, with their lists and block ranges. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_entries.hpp"
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
  /// If `store` is not empty, it has the lists of all queries of OR.
  QueryWriter(const PlacedSegments& segments, const BatchRules& rules, PostingStore& store,
              const Target& target, const BatchShape& before, AndBlockRanges& first,
              AndBlockRanges& second)
      : segments_(segments),
        rules_(rules),
        store_(store),
        writer_(rules.scorer),
        target_(target),
        before_(before),
        next_(before),
        and_ranges_(first),
        fallback_ranges_(second) {}

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

  void open_sources(const SegmentPlans& plans, std::uint32_t slot);
  void write_all_lists(const SegmentPlans& plans, std::uint32_t slot);
  void write_lists(std::size_t segment, const PlannedQuery& plan, const QueryEntry& entry);
  RawPlace next_raw(const PostingsEntry& entry);
  void make_lists(std::uint32_t first);
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
  void write_and(const Query& query);
  void write_and_fallback(const Query& query);

  /// A list of the query that is written, by its number in the image.
  ListSource& source(std::uint32_t list) const { return sources_[list - first_source_]; }
  std::span<const ListSource> scoring_lists(const Written& written) const {
    return {&source(written.first_list), written.entry.roles.scoring};
  }

  const PlacedSegments& segments_;
  const BatchRules& rules_;
  PostingStore& store_;
  std::vector<Written> written_;    ///< of the query that is written
  std::vector<SeededList> seeded_;  ///< likewise
  std::vector<TermBound> bounds_;   ///< likewise
  ListSource* sources_ = nullptr;   ///< from list number first_source_ on
  std::uint32_t first_source_ = 0;
  std::vector<ListSource> own_sources_;  ///< of one query, where the image has lists
  ListWriter writer_;
  const Target& target_;
  const BatchShape& before_;
  BatchShape next_;  ///< sizes of all queries before the next one
  AndBlockRanges& and_ranges_;
  AndBlockRanges& fallback_ranges_;
};

}  // namespace warpdex::gpu
