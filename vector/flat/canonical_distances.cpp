// Calls the distance kernel for the metric and the type of the vectors, and ranks query by query.
#include "flat/canonical_distances.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <algorithm>
#include <vector>

namespace warpdex::vector {

void CanonicalDistances::distances(const float* query, std::size_t first, std::size_t count,
                                   float* out) const {
  const VectorView& view = vectors_.vectors;
  const bool is_l2 = vectors_.metric == Metric::kL2;
  const void* const rows = view.row(first);
  if (view.store == Store::kFloat) {
    const auto distance = is_l2 ? kernels_.l2_float : kernels_.product_float;
    distance(query, view.dimension, static_cast<const float*>(rows), view.stride, count, out);
  } else {
    const auto distance = is_l2 ? kernels_.l2_half : kernels_.product_half;
    distance(query, view.dimension, static_cast<const std::uint16_t*>(rows), view.stride, count,
             out);
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = ascending(vectors_.metric, out[i]);
}

void rescore_keys(const FlatVectors& vectors, const float* query,
                  std::vector<std::uint64_t>& keys) {
  const CanonicalDistances canonical(vectors, distance_kernels());
  for (std::uint64_t& key : keys) key = canonical.key(query, key_row(key));
}

void keep_nearest(std::vector<std::uint64_t>& keys, std::size_t k) {
  if (keys.size() > k) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k), keys.end());
    keys.resize(k);
  }
  std::sort(keys.begin(), keys.end());
}

void rank_candidates(const FlatVectors& vectors, const PreparedQueries& queries, std::size_t first,
                     std::size_t count, std::span<const std::int32_t> found, Neighbors& answers) {
  const std::size_t each = count == 0 ? 0 : found.size() / count;
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t q) {
    std::vector<std::uint64_t> keys;
    for (const std::int32_t row : found.subspan(q * each, each)) {
      if (row >= 0) keys.push_back(static_cast<std::uint32_t>(row));
    }
    rescore_keys(vectors, queries.query(first + q), keys);
    keep_nearest(keys, answers.k);
    set_answers(vectors.metric, first + q, keys, answers);
  });
}

}  // namespace warpdex::vector
