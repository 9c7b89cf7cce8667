// k-means on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::vector {

KmeansResult kmeans_on_gpu(const Matrix<float>&, const KmeansSettings&, Resources&) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

KmeansResult kmeans_on_gpu(const float*, std::size_t, std::size_t, const KmeansSettings&,
                           Resources&) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

KmeansResult kmeans_on_gpus(const Matrix<float>&, const KmeansSettings&,
                            std::span<Resources* const>) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

}  // namespace warpdex::vector
