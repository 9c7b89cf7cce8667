// What the engines below read of a search's options. Internal.
#pragma once

#include "warpdex/query/search.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

inline SearchSettings search_settings(const SearchOptions& options) {
  return {.mode = options.mode,
          .k = options.k,
          .and_or_min = options.and_or_min,
          .count = options.count,
          .scorer = options.scorer};
}

}  // namespace warpdex
