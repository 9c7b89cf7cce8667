// Chooses lists by exact search among the centroids, then scans them.
#include "warpdex/vector/ivf/ivf_binary_searcher.hpp"

#include "binary/check_depth.hpp"
#include "flat/search_input.hpp"
#include "ivf/bit_scan.hpp"
#include "ivf/code_list_search.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {

IvfBinarySearcher::IvfBinarySearcher(const IvfBinaryVectors& vectors, std::size_t threads)
    : vectors_(vectors),
      coarse_(vectors.centroids, threads),
      threads_(threads == 0 ? default_threads() : threads) {}

Neighbors IvfBinarySearcher::nearest(std::span<const float> queries, std::size_t k,
                                     std::size_t probes, const BinaryDepth& depth,
                                     const RowFilter* filter) const {
  check_k(k, vectors_.rows());
  check_probes(probes, vectors_.lists());
  check_filter(filter, vectors_.rows());
  check_refine(vectors_.keeps_vectors(), depth.refine);
  const std::size_t query_bits = check_list_depth(vectors_.quantizer, depth);
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.quantizer.dimension, queries);
  const Neighbors probed = choose_lists(coarse_, prepared, vectors_.quantizer.dimension, probes);
  const auto make_scan = [&](std::size_t q) {
    return BitScan(vectors_, query_bits, prepared.query(q), filter);
  };
  return CodeListSearch(vectors_, prepared, probed, threads_, make_scan).nearest(k, depth.refine);
}

RangeNeighbors IvfBinarySearcher::within(std::span<const float> queries, float radius,
                                         std::size_t probes, const BinaryDepth& depth,
                                         const RowFilter* filter) const {
  check_radius(radius);
  check_probes(probes, vectors_.lists());
  check_filter(filter, vectors_.rows());
  const std::size_t query_bits = check_list_depth(vectors_.quantizer, depth);
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.quantizer.dimension, queries);
  const Neighbors probed = choose_lists(coarse_, prepared, vectors_.quantizer.dimension, probes);
  const auto make_scan = [&](std::size_t q) {
    return BitScan(vectors_, query_bits, prepared.query(q), filter);
  };
  return CodeListSearch(vectors_, prepared, probed, threads_, make_scan).within(radius);
}

}  // namespace warpdex::vector
