// Trains codebooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

struct PqTraining {
  std::size_t bytes = 0;  ///< of a code: 1 to max_code_bytes()
  std::size_t bits = 8;   ///< 8 or 4
  std::size_t iterations = 16;
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  /// Called on the caller's thread with the number of runs, or iterations, done and of all; what it
  /// throws ends the work.
  std::function<void(std::size_t done, std::size_t total)> on_parts = {};
};

/// ProductQuantizer::codebooks from points, rotated already: the means of the clusters of each run,
/// by Lloyd's iterations from points drawn at random. A codeword that stands for few points takes
/// half of the points of another one, as in kmeans(). Where there are fewer points than codewords,
/// the first codeword fills the places that are left, so that none of these is ever the nearest.
/// The same bits for any number of threads, on every processor. Throws UsageError for no points.
/// O(iterations * points * dimension * codewords) arithmetic. Memory: the points of a run for each
/// thread.
std::vector<float> train_codebooks(const Matrix<float>& points, const PqTraining& training);

}  // namespace warpdex::vector
