// Calls the distance kernel for the metric and the type of the vectors.
#include "flat/canonical_distances.hpp"

#include <algorithm>

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

}  // namespace warpdex::vector
