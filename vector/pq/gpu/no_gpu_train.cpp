// Training on a GPU in a build without CUDA: it throws what device_info() throws.
#include "pq/gpu_train.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::vector {

std::vector<float> train_codebooks_on_gpu(const Matrix<float>&, const PqTraining&, Resources&) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

}  // namespace warpdex::vector
