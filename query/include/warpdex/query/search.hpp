// The settings and the answers of a search, the same for every engine.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/query/query.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// The maximum number of documents that a search returns.
inline constexpr std::uint32_t kMaxK = 10'000;

struct DocumentFilter;

/// How a query is answered; every engine takes the same.
struct SearchSettings {
  QueryMode mode = QueryMode::kOr;  ///< which documents match
  std::uint32_t k = 10;             ///< 1 to kMaxK
  std::uint32_t and_or_min = 0;     ///< and-or: with fewer matches of AND, OR answers; 0: k
  bool count = false;               ///< find the exact number of matches
  ScorerSettings scorer;            ///< how matches are scored
  /// A score that at least k matches are known to reach, such as SearchProgress::threshold of
  /// another search of this query; 0: none is known. Engines may skip documents that score less, so
  /// answers are wrong if fewer matches reach it. Not read by and-or, whose answer may be AND's or
  /// OR's.
  float known_threshold = 0;
  /// Only these documents of the snapshot match (query/filter/document_filter.hpp), while
  /// statistics stay those of all; null: all do. It outlives the search.
  const DocumentFilter* documents = nullptr;

  /// The score with which a search may start its threshold.
  float start_threshold() const { return mode == QueryMode::kAndOr ? 0 : known_threshold; }

  /// Matches of AND below which and-or answers by OR.
  std::uint32_t and_or_min_matches() const { return and_or_min == 0 ? k : and_or_min; }

  /// Throws UsageError where a setting is outside its range.
  void validate() const;
};

/// One document of an answer.
struct Hit {
  std::uint32_t document = 0;  ///< docID; Index::document_name returns its id
  float score = 0;             ///< the sum of the terms' scores and the static score
  bool operator==(const Hit&) const = default;
};

/// The answer to a query.
struct SearchResult {
  /// The best k documents, or all that match if fewer do: score descending, then docID ascending.
  std::vector<Hit> hits;
  std::uint64_t matches = 0;     ///< exact if counted, else only a lower bound
  bool fell_back_to_or = false;  ///< and-or: the answer is OR's
};

}  // namespace warpdex
