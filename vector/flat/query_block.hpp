// A block of queries as the panel product reads them, with what is known of each one's errors.
#pragma once

#include <cstddef>
#include <vector>

#include "flat/error_bound.hpp"
#include "product/product_kernels.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

class QueryBlock {
 public:
  /// `queries` are `count` rows, `stride` floats apart, prepared (of length 1 for kCosine).
  QueryBlock(const FlatVectors& vectors, const ProductKernels& kernels, const float* queries,
             std::size_t stride, std::size_t count);

  std::size_t count() const { return slacks_.size(); }
  std::size_t panels() const { return (count() + panel_queries_ - 1) / panel_queries_; }
  const float* panel(std::size_t index) const {
    return panels_.data() + index * panel_queries_ * dimension_;
  }
  /// See ErrorBound.
  float slack(std::size_t query) const { return slacks_[query]; }

  /// An upper limit on the sums of vectors whose ascending() distance is at most `value`. Infinite
  /// where nothing is known.
  float sum_limit(std::size_t query, float value) const;

 private:
  void add(const FlatVectors& vectors, const float* query, std::size_t index);

  std::size_t dimension_;
  std::size_t panel_queries_;
  ErrorBound bound_;
  std::vector<float> panels_;
  std::vector<float> slacks_;
  std::vector<float> shifts_;  ///< for kL2: what a distance has more than its sum
  std::vector<float> scales_;  ///< for products: what the query was multiplied by, a power of two
};

}  // namespace warpdex::vector
