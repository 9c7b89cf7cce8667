// What the engines below read of a search's options. Internal.
#pragma once

#include "warpdex/query/search.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

/// `are_several`: documents of the index have several texts.
inline SearchSettings search_settings(const SearchOptions& options, bool are_several) {
  // What is read as a tree, or of several texts, was read by the mode, and is for kOr.
  const bool is_read = are_several || options.searched.synonyms != nullptr ||
                       options.syntax == QuerySyntax::kLucene ||
                       options.syntax == QuerySyntax::kJson;
  return {.mode = is_read ? QueryMode::kOr : options.mode,
          .k = options.k,
          .and_or_min = options.and_or_min,
          .count = options.count,
          .scorer = options.scorer};
}

}  // namespace warpdex
