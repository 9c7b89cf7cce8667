// Shares queries out to threads: each takes the next one from the same queue, the longest first.
#include "warpdex/query/cpu/batch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

std::uint64_t count_postings(const PlannedQuery& plan) {
  std::uint64_t postings = 0;
  for (const PlannedTerm& term : plan.terms) postings += term.entry.document_frequency;
  return postings;
}

/// The queries' places, those with the most postings first: a long query that starts last would
/// keep one thread busy while the others have nothing left to do.
std::vector<std::size_t> longest_first(const std::vector<PlannedQuery>& plans) {
  std::vector<std::uint64_t> postings(plans.size());
  std::transform(plans.begin(), plans.end(), postings.begin(), count_postings);
  std::vector<std::size_t> order(plans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return postings[a] > postings[b]; });
  return order;
}

}  // namespace

std::vector<SearchResult> search_batch(const Index& index, std::span<const Query> queries,
                                       const SearchSettings& settings, std::size_t threads,
                                       const std::function<void()>& on_answered) {
  settings.validate();
  if (threads == 0) threads = default_threads();
  std::vector<PlannedQuery> plans(queries.size());
  parallel_for(threads, queries.size(),
               [&](std::size_t, std::size_t i) { plans[i] = plan_query(index, queries[i]); });

  const std::vector<std::size_t> order = longest_first(plans);
  std::vector<std::optional<CpuSearcher>> searchers(std::min(threads, queries.size()));
  std::vector<SearchResult> results(queries.size());
  parallel_for(threads, queries.size(), [&](std::size_t thread, std::size_t turn) {
    std::optional<CpuSearcher>& searcher = searchers[thread];
    if (!searcher) searcher.emplace(index);
    results[order[turn]] = searcher->run(plans[order[turn]], settings);
    if (on_answered) on_answered();
  });
  return results;
}

}  // namespace warpdex
