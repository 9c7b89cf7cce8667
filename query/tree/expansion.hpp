// The terms of an index that a clause stands for: beginnings, patterns, ranges.
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

/// By segment, the lists of the terms.
struct ExpandedTerms {
  std::vector<std::vector<PostingsEntry>> segments;
  std::size_t terms = 0;        ///< different ones; of more than are taken some more
  bool was_cut = false;         ///< there are more
  std::uint64_t looked_at = 0;  ///< terms of the index
};

/// Of kPrefix, kWildcard, kRange and kAny. O(terms that begin as the clause does).
ExpandedTerms expand(const Snapshot& snapshot, const QueryNode& node);

/// Whether a term is of the pattern: ? is a character, * any number of them, \ takes the next
/// character as it is.
bool fits_pattern(std::string_view pattern, std::string_view term);

}  // namespace warpdex
