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

CandidateMargin candidate_margin(const SearchedVectors& part, const ProbeSettings& settings) {
  const auto* const codes = std::get_if<BinaryVectors>(&part);
  if (codes == nullptr || settings.extra == 0) return {};
  const BinaryDepth depth = settings.binary();
  const std::size_t query_bits = check_depth(*codes, depth);
  return [codes = *codes, depth, query_bits](const float* query) {
    return candidate_margin(depth, encode_query(codes, query_bits, query));
  };
}

RefiningSearcher::RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors,
                                   std::size_t refine, CandidateMargin margin, std::size_t threads)
    : by_codes_(std::move(by_codes)),
      vectors_(std::move(vectors)),
      refine_(refine),
      margin_(std::move(margin)),
      threads_(threads == 0 ? default_threads() : threads) {}

std::vector<std::int32_t> RefiningSearcher::with_margin(std::span<const float> query, float margin,
                                                        std::span<const std::int32_t> nearest,
                                                        float last, const RowFilter* filter) const {
  if (margin == 0 || nearest.back() < 0) return {nearest.begin(), nearest.end()};
  const float radius = from_ascending(metric(), ascending(metric(), last) + margin);
  return by_codes_->within(query, radius, filter).rows;
}

Neighbors RefiningSearcher::nearest(std::span<const float> queries, std::size_t k,
                                    const RowFilter* filter, Refining refining) const {
  if (refining == Refining::kNone) return by_codes_->nearest(queries, k, filter);
  check_k(k, rows());
  const std::size_t candidates = std::min(std::max(k, refine_), rows());
  const Neighbors found = by_codes_->nearest(queries, candidates, filter);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  Neighbors refined = make_neighbors(metric(), found.queries, k);
  run_tasks(threads_, found.queries, [&](std::size_t query) {
    std::vector<std::uint64_t> keys;
    const std::span nearest = std::span(found.rows).subspan(query * candidates, candidates);
    for (const std::int32_t row :
         with_margin(queries.subspan(query * dimension(), dimension()),
                     margin_ ? margin_(prepared.query(query)) : 0.0F, nearest,
                     found.distances[(query + 1) * candidates - 1], filter)) {
      if (row < 0) break;
      keys.push_back(vectors_.key(prepared.query(query), static_cast<std::size_t>(row)));
    }
    keep_nearest(keys, k);
    set_answers(metric(), query, keys, refined);
  });
  return refined;
}

}  // namespace warpdex::vector
