// A query in one segment: the roles of its terms, cursors over their lists, and AND or OR over
// these. Internal.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cpu/and_search.hpp"
#include "cpu/blocks/block_search.hpp"
#include "cpu/or_search.hpp"
#include "cpu/searched_segment.hpp"
#include "plan/roles.hpp"
#include "warpdex/core/select/top_k.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// Scratch memory that the segments of a search use one after the other.
struct SearchScratch {
  OrSearch or_search;
  BlockSearch block_search;
  AndSearch and_search;
  std::vector<AndList> and_lists;
  std::vector<std::uint64_t> bitmap;
  SearchWatch* watch = nullptr;  ///< of the query; may be null
  /// An upper bound of the scores of documents of the last segment that were not looked at;
  /// negative: all were.
  float max_unseen_score = -1;
};

/// Answers one query after the other. Keeps its cursors for the next query.
class SegmentSearch {
 public:
  /// Opens the lists of a query. False if nothing can match here. `segment` and `plan` outlive the
  /// search. Throws FormatError for damaged lists.
  bool open(const SearchedSegment& segment, const PlannedQuery& plan, bool unsigned_is_required,
            const SearchSettings& settings);

  /// Whether a match must have some term.
  bool has_required() const { return roles_.counts.has_required; }

  /// A score that k live documents of the segment reach, or 0 if none is known.
  float seed(std::uint32_t k);

  /// An upper bound of the scores of the segment's documents. `is_exact`: no sum of scores is
  /// rounded.
  float bound(bool is_exact);

  /// Feeds `top` with all documents that can be among its k best. Returns the number of matches. It
  /// is exact if they are counted. For AND it is all of them or at least `matches_wanted`; else a
  /// lower bound. If the scratch's watch stops the search, max_unseen_score there bounds the rest.
  std::uint64_t run(std::uint64_t matches_wanted, const SearchSettings& settings, bool is_exact,
                    SearchScratch& scratch, TopK& top);

 private:
  bool may_go_by_blocks() const;
  void open_cursors();
  std::optional<std::uint64_t> known_matches() const;
  std::uint64_t run_and(std::uint64_t matches_wanted, bool is_exact, SearchScratch& scratch,
                        TopK& top);
  std::uint64_t run_or(bool counts, bool is_exact, SearchScratch& scratch, TopK& top);

  const SearchedSegment* segment_ = nullptr;
  const PlannedQuery* plan_ = nullptr;
  ScorerSettings scorer_;
  Roles roles_;
  bool by_blocks_ = false;
  std::deque<ListCursor> cursors_;  ///< never shrinks; a query takes the first ones
  std::vector<ListCursor*> scoring_;
  std::vector<ListCursor*> prohibited_;
};

}  // namespace warpdex
