// The terms of an index that are near a word. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// The most near words of a fuzzy clause: the nearest ones, of equally near ones the first.
inline constexpr std::size_t kMaxFuzzyTerms = 50;

/// A word that is near another one.
struct NearTerm {
  std::string term;
  float boost = 1;  ///< 1 - edits / the length of the shorter one, in characters; 0 at least
};

/// Of kFuzzy, the nearest first. An edit puts in, takes out or changes a character, or exchanges
/// two neighbours (optimal string alignment). Passes over groups of terms whose beginning is too
/// far away already. Throws FormatError for a damaged lexicon.
std::vector<NearTerm> near_terms(const Snapshot& snapshot, const QueryNode& node, bool& was_cut);

}  // namespace warpdex
