// A query's terms looked up in an index: all that a search needs to know of them before it starts.
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
  float weight = 0;            ///< the sum of its weights, except those with a - sign
  bool is_must = false;        ///< at least once with +
  bool is_prohibited = false;  ///< at least once with -

  // Set for a term in a segment of a snapshot; unused for a plain index.
  std::uint64_t document_frequency = 0;    ///< in the whole snapshot; 0: the entry's
  std::uint64_t collection_frequency = 0;  ///< in the whole snapshot; 0: the sum over the list
  std::uint32_t removed = 0;               ///< upper bound of its postings of removed documents
  std::uint32_t number = 0;                ///< of the term, the same in all segments
};

/// Terms in the canonical order, in which scores are added: by document frequency, equal ones by
/// term.
struct PlannedQuery {
  std::vector<PlannedTerm> terms;  ///< distinct; also those with only - signs
  bool misses_must = false;        ///< a + term is unknown: nothing matches
  bool misses_unsigned = false;    ///< an unsigned term is unknown: nothing matches AND

  /// For a snapshot that is not plain: the plan for each of its segments, with the statistics and
  /// the order of terms of the whole. `terms` above are then those of the whole, and of their
  /// entries only the document frequency is set.
  std::vector<PlannedQuery> segments;
  /// Excluded words of several terms (QueryTerm::word): for each that the index has all terms of,
  /// their entries. Documents with all terms of one are no matches. Of a snapshot that is not plain
  /// they are in `segments`.
  std::vector<std::vector<PostingsEntry>> excluded_words{};
  /// The statistics that scorers use; none: the counts of the index.
  std::optional<CollectionStatistics> statistics;
  /// Of an index with several texts: those by text field, which scorers use in their place.
  std::vector<CollectionStatistics> text_statistics{};

  /// The statistics by which a term of the plan scores in an index that holds so much.
  CollectionStatistics statistics_for(const PlannedTerm& term, const IndexCounts& counts) const {
    if (!text_statistics.empty()) return text_statistics[term.entry.field];
    return statistics.value_or(CollectionStatistics{counts.documents, counts.tokens});
  }
};

/// Looks all terms up. O(terms log terms). Throws UsageError for a weight outside of
/// kMinQueryWeight to kMaxQueryWeight, FormatError if the lexicon is damaged.
PlannedQuery plan_query(const Index& index, const Query& query);

/// Likewise in a snapshot. For a plain one (a single segment without removed documents), it is the
/// plan for its index.
PlannedQuery plan_query(const Snapshot& snapshot, const Query& query);

/// Whether the plan, or one of a segment's, has excluded words of several terms. The GPU engine
/// leaves such queries to the CPU.
bool excludes_words(const PlannedQuery& plan);

/// Whether all weights are whole numbers.
bool has_whole_weights(const PlannedQuery& plan);

/// Whether all sums of scores are whole numbers that a float holds exactly, so that the order of
/// additions does not matter: the index holds impacts, the weights are whole, and no sum can pass
/// 2^24. Otherwise sums are rounded, and terms must be added in the canonical order.
bool sums_are_exact(const IndexSettings& index, const PlannedQuery& plan);
inline bool sums_are_exact(const Index& index, const PlannedQuery& plan) {
  return sums_are_exact(index.settings(), plan);
}
inline bool sums_are_exact(const Snapshot& snapshot, const PlannedQuery& plan) {
  return sums_are_exact(snapshot.settings(), plan);
}

}  // namespace warpdex
