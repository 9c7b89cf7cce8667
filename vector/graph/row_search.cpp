// The searcher that suits the index, set to take rows as they are stored.
#include "warpdex/vector/graph/row_search.hpp"

#include <algorithm>
#include <memory>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/search/index_searcher.hpp"

namespace warpdex::vector {

RowSearch row_search(const VectorIndex& index, const RowSearchSettings& settings) {
  if (!index.settings().pq.keeps_vectors) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' keeps no vectors, only codes; build it again with its vectors");
  }
  ProbeSettings depth{settings.probes, settings.refine};
  if (index.settings().index == IndexKind::kIvfPq) {
    depth.refine = std::max<std::size_t>(1, settings.refine);
  }
  // Cosines of stored vectors are their products; searched by this metric, queries are not scaled.
  const Metric metric =
      index.settings().metric == Metric::kCosine ? Metric::kInnerProduct : index.settings().metric;
  const std::shared_ptr<const VectorSearcher> searcher =
      search_index_on_cpu(index, depth, settings.threads, metric);
  return
      [searcher](std::span<const float> rows, std::size_t k) { return searcher->nearest(rows, k); };
}

}  // namespace warpdex::vector
