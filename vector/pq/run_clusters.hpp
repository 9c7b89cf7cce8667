// What training codebooks on the CPU and on the GPU share: the first codewords, and the repair of
// those that stand for few points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kmeans/random.hpp"
#include "kmeans/update.hpp"
#include "pq/train.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// Clusters of each run: a codeword for each point where there are fewer points than codewords.
/// Throws UsageError for no points.
std::size_t run_clusters(const ProductQuantizer& shape, std::size_t points);

/// Codebooks whose first `clusters` codewords of each run are those of points drawn at random; the
/// others are infinite, so that none is ever the nearest.
std::vector<float> draw_codebooks(const Matrix<float>& points, const ProductQuantizer& shape,
                                  std::size_t clusters, std::uint64_t seed);

/// Gives the codewords past `clusters` the first one's components.
void fill_codebooks(const ProductQuantizer& shape, std::size_t clusters,
                    std::span<float> codebooks);

/// The random numbers of a run's repairs.
inline Random repair_random(std::uint64_t seed, std::size_t part) {
  return Random(seed + part + 1);
}

}  // namespace warpdex::vector
