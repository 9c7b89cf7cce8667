// A query's terms looked up in an index: all that a search needs to know before its clock starts.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// A distinct term of the query that the index knows.
struct PlannedTerm {
  PostingsEntry entry;             ///< where its postings are
  std::uint32_t multiplicity = 0;  ///< how often it stands, - signs apart
  bool is_must = false;            ///< at least once with +
  bool is_prohibited = false;      ///< at least once with -
};

/// Terms in the canonical order, in which scores are added: by document frequency, equal ones by
/// term.
struct PlannedQuery {
  std::vector<PlannedTerm> terms;  ///< distinct; those with only - signs too
  bool misses_must = false;        ///< a + term is unknown: nothing matches
  bool misses_unsigned = false;    ///< an unsigned term is unknown: nothing matches AND
};

/// Looks all terms up. O(terms log terms). Throws FormatError if the lexicon is damaged.
PlannedQuery plan_query(const Index& index, const Query& query);

/// Throws UsageError if the index holds impacts and the query has so many terms that a sum of them
/// could pass 2^24, from which on a float would round it.
void check_impact_sum(const Index& index, const PlannedQuery& plan);

}  // namespace warpdex
