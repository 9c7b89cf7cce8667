// A query's terms looked up in an index: all that a search needs to know before its clock starts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// A distinct term of the query that the index knows.
struct PlannedTerm {
  PostingsEntry entry;         ///< where its postings are
  float weight = 0;            ///< its weights added up, - signs apart: 0 where there is no other
  bool is_must = false;        ///< at least once with +
  bool is_prohibited = false;  ///< at least once with -

  // Of a term in a segment of a snapshot; a term of a plain index leaves them as they are.
  std::uint64_t document_frequency = 0;    ///< in the whole snapshot; 0: the entry's
  std::uint64_t collection_frequency = 0;  ///< likewise; 0: the sum over the list
  std::uint32_t removed = 0;               ///< at most so many postings are of removed documents
  std::uint32_t number = 0;                ///< the same in all segments, another for each term
};

/// Terms in the canonical order, in which scores are added: by document frequency, equal ones by
/// term.
struct PlannedQuery {
  std::vector<PlannedTerm> terms;  ///< distinct; those with only - signs too
  bool misses_must = false;        ///< a + term is unknown: nothing matches
  bool misses_unsigned = false;    ///< an unsigned term is unknown: nothing matches AND

  /// Of a snapshot that is not plain: the query in each of its segments, with the statistics of the
  /// whole, its terms in the order of the whole. The terms above are then of the whole, and their
  /// entries have nothing but a document frequency.
  std::vector<PlannedQuery> segments;
  /// What scorers go by; none: the counts of the index.
  std::optional<CollectionStatistics> statistics;
};

/// Looks all terms up. O(terms log terms). Throws UsageError for a weight outside of
/// kMinQueryWeight to kMaxQueryWeight, FormatError if the lexicon is damaged.
PlannedQuery plan_query(const Index& index, const Query& query);

/// Likewise in a snapshot. Of a plain one, it is the plan for its index.
PlannedQuery plan_query(const Snapshot& snapshot, const Query& query);

/// Whether all weights are whole numbers.
bool has_whole_weights(const PlannedQuery& plan);

/// Whether scores are whole numbers that a float holds, so that no order of adding changes them:
/// the index holds impacts, the weights are whole, and no sum can pass 2^24. Other sums are rounded
/// in the canonical order.
bool sums_are_exact(const IndexSettings& index, const PlannedQuery& plan);
inline bool sums_are_exact(const Index& index, const PlannedQuery& plan) {
  return sums_are_exact(index.settings(), plan);
}
inline bool sums_are_exact(const Snapshot& snapshot, const PlannedQuery& plan) {
  return sums_are_exact(snapshot.settings(), plan);
}

}  // namespace warpdex
