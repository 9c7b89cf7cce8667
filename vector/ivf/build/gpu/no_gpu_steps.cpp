// The steps of a build in a build without CUDA: the constructor throws what device_info() throws,
// so there is nothing that they could be called for.
#include "ivf/build/gpu_steps.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::vector {
namespace {

[[noreturn]] void refuse() { throw CudaError(why_no_device(), CudaError::kNoCudaInBuild); }

}  // namespace

struct GpuSteps::State {};

GpuSteps::GpuSteps(Resources&) { refuse(); }
GpuSteps::~GpuSteps() = default;

Matrix<float> GpuSteps::train_centroids(const VectorView&, std::span<const std::uint64_t>,
                                        const KmeansSettings&) {
  refuse();
}

void GpuSteps::assign(const VectorView&, const Matrix<float>&, const CentroidSearch&,
                      std::uint32_t*, const OnBlock&) {
  refuse();
}

std::vector<float> GpuSteps::train_codebooks(const Matrix<float>&, const PqTraining&) { refuse(); }

void GpuSteps::encode_binary(const VectorView&, const XfbqQuantizer&, const CodeSink&,
                             const OnBlock&) {
  refuse();
}

void GpuSteps::encode(const VectorView&, const BitRules&, const ListGroups&, const BlockSink&) {
  refuse();
}

void GpuSteps::encode(const VectorView&, const EncodingRules&, const ListGroups&,
                      const BlockSink&) {
  refuse();
}

}  // namespace warpdex::vector
