// The steps of a build in a build without CUDA: there are none.
#include "ivf/build/gpu_steps.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::vector {

struct GpuSteps::State {};

GpuSteps::GpuSteps(Resources&) { throw CudaError(why_no_device(), CudaError::kNoCudaInBuild); }
GpuSteps::~GpuSteps() = default;

Matrix<float> GpuSteps::train_centroids(const VectorView&, std::span<const std::uint64_t>,
                                        const KmeansSettings&) {
  return {};
}

void GpuSteps::assign(const VectorView&, const Matrix<float>&, const CentroidSearch&,
                      std::uint32_t*, const OnBlock&) {}

std::vector<float> GpuSteps::train_codebooks(const Matrix<float>&, const PqTraining&) { return {}; }

void GpuSteps::encode(const VectorView&, const EncodingRules&, const ListGroups&,
                      const BlockSink&) {}

}  // namespace warpdex::vector
