// What the engines below read of a search's options. Internal.
#pragma once

#include "warpdex/query/search.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

inline SearchSettings search_settings(const SearchOptions& options) {
  // What is read as `lucene` was read by the mode, and is for kOr.
  const bool is_lucene = options.syntax == QuerySyntax::kLucene;
  return {.mode = is_lucene ? QueryMode::kOr : options.mode,
          .k = options.k,
          .and_or_min = options.and_or_min,
          .count = options.count,
          .scorer = options.scorer};
}

}  // namespace warpdex
