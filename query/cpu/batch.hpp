// Many queries over several threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {

/// Answers all queries, in their order, on up to `threads` threads (0: all), each with its own
/// searcher. Answers do not depend on the number of threads. Throws what CpuSearcher::search does.
std::vector<SearchResult> search_batch(const Index& index, std::span<const Query> queries,
                                       const SearchSettings& settings, std::size_t threads);

}  // namespace warpdex
