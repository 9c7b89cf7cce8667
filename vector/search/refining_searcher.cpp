// Query after query, on all threads.
#include "warpdex/vector/search/refining_searcher.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {

RefiningSearcher::RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors,
                                   std::size_t refine, std::size_t threads)
    : by_codes_(std::move(by_codes)),
      vectors_(std::move(vectors)),
      refine_(refine),
      threads_(threads == 0 ? default_threads() : threads) {}

Neighbors RefiningSearcher::nearest(std::span<const float> queries, std::size_t k,
                                    const RowFilter* filter) const {
  check_k(k, rows());
  const std::size_t candidates = std::min(std::max(k, refine_), rows());
  const Neighbors found = by_codes_->nearest(queries, candidates, filter);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  Neighbors refined = make_neighbors(metric(), found.queries, k);
  oneapi::tbb::task_arena arena(
      std::min(static_cast<int>(threads_), oneapi::tbb::info::default_concurrency()));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, found.queries, [&](std::size_t query) {
      std::vector<std::uint64_t> keys;
      for (std::size_t i = 0; i < candidates; ++i) {
        const std::int32_t row = found.rows[query * candidates + i];
        if (row < 0) break;
        keys.push_back(vectors_.key(prepared.query(query), static_cast<std::size_t>(row)));
      }
      keep_nearest(keys, k);
      set_answers(metric(), query, keys, refined);
    });
  });
  return refined;
}

}  // namespace warpdex::vector
