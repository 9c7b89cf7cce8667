// Codebooks trained by a GPU.
#pragma once

#include <vector>

#include "pq/train.hpp"
#include "warpdex/core/cuda/resources.hpp"

namespace warpdex::vector {

/// train_codebooks() with all runs at once on the GPU of `resources`: the same bits. Progress
/// counts iterations. Throws likewise; CudaError where there is no GPU; Error, which says how much
/// is needed, where the points do not fit into its memory.
std::vector<float> train_codebooks_on_gpu(const Matrix<float>& points, const PqTraining& training,
                                          Resources& resources);

}  // namespace warpdex::vector
