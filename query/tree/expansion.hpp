// The terms of an index that a clause stands for: beginnings, patterns, ranges, near words.
// Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// The most terms that one clause stands for: of more, the first ones in the order of their bytes.
inline constexpr std::size_t kMaxExpandedTerms = 16'384;
/// The most near words of a fuzzy clause: the nearest ones, of equally near ones the first.
inline constexpr std::size_t kMaxFuzzyTerms = 50;

/// By segment, the lists of the terms.
struct ExpandedTerms {
  std::vector<std::vector<PostingsEntry>> segments;
  bool was_cut = false;  ///< there are more
};

/// Of kPrefix, kWildcard, kRange and kAny. O(terms that begin as the clause does).
ExpandedTerms expand(const Snapshot& snapshot, const QueryNode& node);

/// A word that is near another one.
struct NearTerm {
  std::string term;
  float boost = 1;  ///< 1 - edits / the length of the shorter one, in characters
};

/// Of kFuzzy, the nearest first. An edit puts in, takes out or changes a character, or exchanges
/// two neighbours. O(all terms).
std::vector<NearTerm> near_terms(const Snapshot& snapshot, const QueryNode& node, bool& was_cut);

/// Whether a term is of the pattern: ? is a character, * any number of them, \ takes the next
/// character as it is.
bool fits_pattern(std::string_view pattern, std::string_view term);

/// The least number of edits that make one of the other; `most` + 1 where there are more.
std::size_t edits_between(std::u32string_view a, std::u32string_view b, std::size_t most);

}  // namespace warpdex
