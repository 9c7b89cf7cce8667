// What a distance has beside a residual's code and its centroid's distance.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct ResidualTermsTask {
  const float* residuals;  ///< not rotated
  std::uint32_t stride;    ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  const std::uint32_t* lists;  ///< of each 32 residuals
  const float* centroids;      ///< `dimension` floats each, without gaps
  const float* centre;         ///< null: the origin
  bool is_l2;
  float* terms;  ///< `count` of them
};

/// Queues the computation, to the bits of ResidualBitEncoder. O(count * dimension).
void find_residual_terms(const ResidualTermsTask& task, const Stream& stream);

}  // namespace warpdex::vector
