// The searcher that suits the index, set to take rows as they are stored.
#include "warpdex/vector/graph/row_search.hpp"

#include <algorithm>

#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"
#include "warpdex/vector/ivf/ivf_searcher.hpp"

namespace warpdex::vector {
namespace {

/// Cosines of stored vectors are their products; searched by this metric, queries are not scaled.
Metric metric_of_stored(Metric metric) {
  return metric == Metric::kCosine ? Metric::kInnerProduct : metric;
}

RowSearch search_flat(FlatVectors vectors, const RowSearchSettings& settings) {
  vectors.metric = metric_of_stored(vectors.metric);
  return [searcher = FlatSearcher(vectors, settings.threads)](
             std::span<const float> rows, std::size_t k) { return searcher.nearest(rows, k); };
}

RowSearch search_lists(IvfVectors vectors, const RowSearchSettings& settings) {
  vectors.vectors.metric = metric_of_stored(vectors.vectors.metric);
  return
      [searcher = IvfSearcher(vectors, settings.threads), probes = settings.probes](
          std::span<const float> rows, std::size_t k) { return searcher.nearest(rows, k, probes); };
}

RowSearch search_codes(IvfPqVectors vectors, const RowSearchSettings& settings) {
  vectors.metric = metric_of_stored(vectors.metric);
  vectors.vectors.metric = vectors.metric;
  return [searcher = IvfPqSearcher(vectors, settings.threads), probes = settings.probes,
          refine = std::max<std::size_t>(1, settings.refine)](std::span<const float> rows,
                                                              std::size_t k) {
    return searcher.nearest(rows, k, probes, refine);
  };
}

}  // namespace

RowSearch row_search(const VectorIndex& index, const RowSearchSettings& settings) {
  const FlatVectors& flat = index.flat();
  switch (index.settings().index) {
    case IndexKind::kFlat: break;
    case IndexKind::kIvfFlat: return search_lists(index.ivf(), settings);
    case IndexKind::kIvfPq: return search_codes(index.ivf_pq(), settings);
  }
  return search_flat(flat, settings);
}

}  // namespace warpdex::vector
