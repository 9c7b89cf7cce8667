// A query as bytes, and what turns its products with codes into distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

/// With z the query less the centre (kL2) or the query, of Sq8Coding. Distances are ascending().
struct QueryBytes {
  std::vector<std::int8_t> bytes;  ///< e, with zeros up to a multiple of 16
  float weight = 0;                ///< -2 t (kL2), else -t: of s times b·e
  float shift = 0;                 ///< -2 (kL2), else -1, times the sum of z: of the list's offset

  /// What a product counts in a list.
  float list_weight(const ByteScale& scale) const { return weight * scale.scale; }
  /// What all distances have in a list. `base` is that of the centroid.
  float list_base(float base, const ByteScale& scale) const { return base + shift * scale.offset; }
};

/// The largest component of z becomes 127 or -127. `query` is prepared; `centre` is empty unless
/// the metric is kL2. In double precision, in the order of components; bytes are rounded as
/// ByteScale::encode() rounds. O(dimension).
QueryBytes encode_query_bytes(Metric metric, std::span<const float> centre, const float* query,
                              std::size_t dimension);

/// The ascending() distance of a vector. `term` is 0 unless the metric is kL2.
inline float byte_distance(bool is_l2, float weight, std::int32_t product, float base, float term) {
  const float sum = weight * static_cast<float>(product) + (base + term);
  return is_l2 && sum < 0 ? 0.0F : sum + 0.0F;
}

}  // namespace warpdex::vector
