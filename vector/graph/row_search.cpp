// The searcher that suits the index, set to take rows as they are stored.
#include "warpdex/vector/graph/row_search.hpp"

#include <algorithm>
#include <memory>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/search/index_searcher.hpp"

namespace warpdex::vector {

RowSearchMethod row_search_method(const VectorIndex& index, const SearchOptions& depth) {
  if (!index.settings().pq.keeps_vectors) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' keeps no vectors, only codes; build it again with its vectors");
  }
  RowSearchMethod method{index.settings().metric, depth};
  // Cosines of stored vectors are their products; searched by this metric, queries are not scaled.
  if (method.metric == Metric::kCosine) method.metric = Metric::kInnerProduct;
  if (index.settings().index.has_codes()) {
    method.depth.refine = std::max<std::size_t>(1, depth.refine);
  }
  return method;
}

RowSearch row_search(const VectorIndex& index, const RowSearchSettings& settings) {
  const RowSearchMethod method =
      row_search_method(index, {.probes = settings.probes, .refine = settings.refine});
  const std::shared_ptr<const VectorSearcher> searcher =
      search_index_on_cpu(index, settings.threads, method.metric);
  return [searcher, depth = method.depth](std::span<const float> rows, std::size_t k) {
    return searcher->nearest(rows, k, depth);
  };
}

}  // namespace warpdex::vector
