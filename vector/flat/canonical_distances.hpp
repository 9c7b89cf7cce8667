// Canonical distances of queries, and rows ranked by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// Computes distances in the canonical order. Cheap to make.
class CanonicalDistances {
 public:
  CanonicalDistances(const FlatVectors& vectors, const DistanceKernels& kernels)
      : vectors_(vectors), kernels_(kernels) {}

  /// ascending() distances of `count` vectors from position `first` on. `query` is padded as
  /// DistanceKernels says.
  void distances(const float* query, std::size_t first, std::size_t count, float* out) const;

  /// The order_key() of the vector at a position.
  std::uint64_t key(const float* query, std::size_t position) const {
    float value;
    distances(query, position, 1, &value);
    return order_key(value, vectors_.row_number(position));
  }

 private:
  const FlatVectors& vectors_;
  const DistanceKernels& kernels_;
};

/// Replaces the distances of keys by those of their rows. `query` is padded as DistanceKernels
/// says.
void rescore_keys(const FlatVectors& vectors, const float* query, std::vector<std::uint64_t>& keys);

/// Leaves the k smallest keys, sorted; all of them if there are fewer. O(n + k log k).
void keep_nearest(std::vector<std::uint64_t>& keys, std::size_t k);

/// Sets the answers of some queries, from `first` on, to the nearest of the rows that were found
/// for them, by canonical distances, on all threads. `found` has as many rows for each, query after
/// query; negative ones do not count.
void rank_candidates(const FlatVectors& vectors, const PreparedQueries& queries, std::size_t first,
                     std::size_t count, std::span<const std::int32_t> found, Neighbors& answers);

}  // namespace warpdex::vector
