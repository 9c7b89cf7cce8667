// A query as a search of codes needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/code_kernels.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

/// The code of a query, and what turns distances of codes into distances.
///
/// With y a vector less the centre, rotated, z the query less its share of the centre, rotated, c
/// and e the whole numbers 2u + 1 - 2^bits of their codes, and s and t their scales, y·z is about
/// s t / (2^bits 2^query_bits) times c·e, which is product() of the XOR distance. With corrections,
/// the vector's factor takes the place of s / 2^bits, and one of the query's that of
/// t / 2^query_bits. Then |y - z|^2 is
/// |y|^2 + |z|^2 - 2 y·z, and the product of the vector and the query is y·z, plus that of the
/// centre and the query, plus the share times that of the centre and y.
struct QueryCode {
  std::vector<std::uint32_t> words;  ///< as CodeKernels::xor_distances reads them
  std::int32_t top = 0;              ///< code_product_top()
  float weight = 0;                  ///< of the product in an ascending() distance; not positive
  float base = 0;                    ///< what all distances of the query have besides
  /// Of the centre: 1 for kL2. For products the query's projection on the centre is so many times
  /// the centre, or it is a little where that would be no positive number. From 2^-40 to 2^40.
  float share = 1;

  /// c·e of codes with that distance.
  std::int32_t product(std::uint32_t distance) const {
    return top - 2 * static_cast<std::int32_t>(distance);
  }
  /// What a step of the codes' distance adds to an ascending() distance, by the quantizer's scale.
  float step = 0;
  double length = 0;   ///< of the rotated query
  float residual = 0;  ///< with corrections, the length of what its code leaves
};

/// `query` is prepared and padded as DistanceKernels says. Its scale is such that default_clip() of
/// its components lie outside. O(dimension), with a rotation O(dimension^2).
QueryCode encode_query(Metric metric, const BinaryQuantizer& quantizer, std::size_t query_bits,
                       const float* query);
inline QueryCode encode_query(const BinaryVectors& vectors, std::size_t query_bits,
                              const float* query) {
  return encode_query(vectors.metric, vectors.quantizer, query_bits, query);
}

inline CodeShape code_shape(const BinaryQuantizer& quantizer, std::size_t query_bits) {
  return {quantizer.plane_words(), quantizer.bits, query_bits};
}

/// The product of codes that are equal in all bits.
inline std::int32_t code_product_top(const BinaryQuantizer& quantizer, std::size_t query_bits) {
  const std::size_t cells =
      ((std::size_t{1} << quantizer.bits) - 1) * ((std::size_t{1} << query_bits) - 1);
  return static_cast<std::int32_t>(quantizer.dimension * cells);
}

/// The ascending() distance of a vector. `base` is what all distances of the query, or of it and a
/// list, have besides; `term` is that of the vector, or 0 where it has none, and for products it is
/// times the query's share; `factor` is that of its correction, else 1.
inline float code_distance(const QueryCode& query, float base, bool is_l2, std::uint32_t distance,
                           float term, float factor) {
  const float product = query.weight * factor * static_cast<float>(query.product(distance));
  const float sum = product + (base + term);
  return is_l2 && sum < 0 ? 0.0F : sum + 0.0F;
}

}  // namespace warpdex::vector
