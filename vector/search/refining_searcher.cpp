// Query after query, on all threads.
#include "warpdex/vector/search/refining_searcher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "binary/check_depth.hpp"
#include "flat/canonical_distances.hpp"
#include "flat/run_tasks.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {

RefiningSearcher::RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors,
                                   const SearchedVectors& part, std::size_t threads)
    : by_codes_(std::move(by_codes)),
      vectors_(std::move(vectors)),
      part_(part),
      threads_(threads == 0 ? default_threads() : threads) {}

float RefiningSearcher::margin_of(const float* query, const SearchOptions& options) const {
  const auto* const codes = std::get_if<BinaryVectors>(&part_);
  if (codes == nullptr || options.extra == 0) return 0;
  return candidate_margin(options, encode_query(*codes, check_depth(*codes, options), query));
}

std::vector<std::int32_t> RefiningSearcher::with_margin(std::span<const float> query, float margin,
                                                        std::span<const std::int32_t> nearest,
                                                        float last,
                                                        const SearchOptions& options) const {
  if (margin == 0 || nearest.back() < 0) return {nearest.begin(), nearest.end()};
  const float radius = from_ascending(metric(), ascending(metric(), last) + margin);
  return by_codes_->within(query, radius, options).rows;
}

Neighbors RefiningSearcher::nearest(std::span<const float> queries, std::size_t k,
                                    const SearchOptions& options) const {
  const SearchOptions own = options.by_codes();
  if (options.refine == 0) return by_codes_->nearest(queries, k, own);
  check_k(k, rows());
  const std::size_t candidates = std::min(std::max(k, options.refine), rows());
  const Neighbors found = by_codes_->nearest(queries, candidates, own);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  Neighbors refined = make_neighbors(metric(), found.queries, k);
  run_tasks(threads_, found.queries, [&](std::size_t query) {
    std::vector<std::uint64_t> keys;
    const std::span nearest = std::span(found.rows).subspan(query * candidates, candidates);
    for (const std::int32_t row : with_margin(queries.subspan(query * dimension(), dimension()),
                                              margin_of(prepared.query(query), options), nearest,
                                              found.distances[(query + 1) * candidates - 1], own)) {
      if (row < 0) break;
      keys.push_back(vectors_.key(prepared.query(query), static_cast<std::size_t>(row)));
    }
    keep_nearest(keys, k);
    set_answers(metric(), query, keys, refined);
  });
  return refined;
}

}  // namespace warpdex::vector
