// Generated vectors for benchmarks: in clusters, as learnt vectors are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::tools {

/// Clusters of unequal weight in groups of eight. A group shares twelve directions that its vectors
/// are spread along; a little noise is added.
class Mixture {
 public:
  Mixture(std::size_t dimension, std::uint64_t seed);

  /// Vectors [first, first + rows), which depend on nothing but the seed and `first`. By all
  /// threads.
  vector::Matrix<float> draw(std::size_t rows, std::size_t first = 0) const;

 private:
  static constexpr std::size_t kGroups = 64;
  static constexpr std::size_t kClusters = 8;  ///< of a group
  static constexpr std::size_t kDirections = 12;

  /// Rows [first, first + count).
  void draw_part(std::size_t first, std::size_t count, float* rows) const;

  std::size_t dimension_;
  std::uint64_t seed_;
  std::vector<float> centres_;
  std::vector<float> directions_;
};

/// `text` is ROWS,DIM, as an option has it. Throws UsageError for another.
vector::Matrix<float> draw_vectors(const std::string& text, std::uint64_t seed);

/// The mean of the first vectors, as an index has it for its centre.
std::vector<float> mean_of_first(const vector::Matrix<float>& vectors);

}  // namespace warpdex::tools
