// The terms of an index that are near a word. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/tree/near_term.hpp"

namespace warpdex {

/// Of kFuzzy, the nearest first. An edit puts in, takes out or changes a character, or exchanges
/// two neighbours (optimal string alignment). Passes over groups of terms whose beginning is too
/// far away already. Throws FormatError for a damaged lexicon.
std::vector<NearTerm> near_terms(const Snapshot& snapshot, const QueryNode& node, bool& was_cut);

/// The same of a clause whose near words were chosen before (`texts`), among those of a whole.
std::vector<NearTerm> chosen_terms(const Snapshot& snapshot, const QueryNode& node);

/// The first kMaxFuzzyTerms; true if there are more.
bool keep_nearest(std::vector<NearTerm>& terms);

}  // namespace warpdex
