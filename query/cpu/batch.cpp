// Shares queries out to threads, each with a searcher of its own.
#include "warpdex/query/cpu/batch.hpp"

#include <algorithm>

#include "warpdex/core/parallel.hpp"

namespace warpdex {

std::vector<SearchResult> search_batch(const Index& index, std::span<const Query> queries,
                                       const SearchSettings& settings, std::size_t threads,
                                       const std::function<void()>& on_answered) {
  // A few queries a turn: long enough to outweigh handing it out, short enough to even out.
  constexpr std::size_t kQueriesPerTurn = 4;
  settings.validate();
  if (threads == 0) threads = default_threads();
  std::vector<CpuSearcher> searchers;
  for (std::size_t i = 0; i < threads; ++i) searchers.emplace_back(index);
  std::vector<SearchResult> results(queries.size());
  const std::size_t turns = (queries.size() + kQueriesPerTurn - 1) / kQueriesPerTurn;
  parallel_for(threads, turns, [&](std::size_t thread, std::size_t turn) {
    const std::size_t end = std::min(queries.size(), (turn + 1) * kQueriesPerTurn);
    for (std::size_t i = turn * kQueriesPerTurn; i < end; ++i) {
      results[i] = searchers[thread].search(queries[i], settings);
      if (on_answered) on_answered();
    }
  });
  return results;
}

}  // namespace warpdex
