// Many queries over several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {

/// Answers all queries on up to `threads` threads (0: all), each with its own searcher, and gives
/// the answers in the order of the queries. The threads take queries from one queue, those with
/// the most postings first. Answers do not depend on the number of threads. `on_answered`, if any,
/// is called after each query, by the thread that answered it; what it throws ends the batch.
/// Throws what CpuSearcher::search does.
std::vector<SearchResult> search_batch(const Index& index, std::span<const Query> queries,
                                       const SearchSettings& settings, std::size_t threads,
                                       const std::function<void()>& on_answered = {});

}  // namespace warpdex
