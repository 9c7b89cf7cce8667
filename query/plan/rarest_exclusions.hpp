// Words of several terms that a query excludes. Internal.
#pragma once

#include <algorithm>

#include "warpdex/query/query.hpp"

namespace warpdex {

/// Whether with_rarest_exclusions() may change the query.
inline bool excludes_long_words(const Query& query) {
  return std::any_of(query.terms.begin(), query.terms.end(),
                     [](const QueryTerm& term) { return term.word != 0; });
}

}  // namespace warpdex
