// Searches that look at columns of all matches: sorted ones, and those with facets. Internal.
#pragma once

#include "open_index.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

/// Whether options ask for such a search.
inline bool asks_columns(const SearchOptions& options) {
  return !options.sort.empty() || !options.facets.empty();
}

/// By words alone. Throws UsageError for columns that the index has not and for a cursor of another
/// commit, InputError for limits of ranges, CancelledError. The deadline is not looked at.
TextAnswer search_columns(const OpenIndex& index, const Query& query,
                          const SearchSettings& settings, const SearchOptions& options,
                          const SearchLimits& limits);

/// Names a hit's place in a sorted answer of its commit.
std::string cursor_of(std::uint64_t commit, std::uint32_t document);

}  // namespace warpdex
