// What a query's documents can score, from the counts of its terms alone. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "shards/known_terms.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::shards {

class QueryScores {
 public:
  /// `terms` has all terms of the query. Throws UsageError for a weight out of range.
  QueryScores(const Whole& whole, const WholeStatistics& statistics, const TermTable& terms,
              const Query& query, const ScorerSettings& wanted);

  /// A score that k live documents of all parts together reach by OR, from their seeds; 0 if none
  /// is known.
  float start_threshold(std::uint32_t k) const;

  /// No document of the part that matches scores more; negative: none can match. Infinite for a
  /// tree.
  float bound(std::uint32_t part) const;

 private:
  struct Term {
    TermScorer scorer;
    TermInParts counts;
  };

  const Whole* whole_;
  std::vector<Term> terms_;  ///< that score
  bool only_adds_ = true;    ///< no term is required or excludes
  bool is_tree_ = false;
};

}  // namespace warpdex::shards
