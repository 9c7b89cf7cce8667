// The steps of a build in a build without CUDA: the constructor throws what device_info() throws,
// so there is nothing that they could be called for.
#include "lists/build/gpu_steps.hpp"
#include "warpdex/core/cuda/no_cuda.hpp"

namespace warpdex::vector {

struct GpuSteps::State {};

GpuSteps::GpuSteps(Resources&) { refuse_without_cuda(); }
GpuSteps::~GpuSteps() = default;

Matrix<float> GpuSteps::train_centroids(const VectorView&, std::span<const std::uint64_t>,
                                        const KmeansSettings&) {
  refuse_without_cuda();
}

void GpuSteps::assign(const VectorView&, const Matrix<float>&, const CentroidSearch&,
                      std::uint32_t*, const OnBlock&) {
  refuse_without_cuda();
}

std::vector<float> GpuSteps::train_codebooks(const Matrix<float>&, const PqTraining&) {
  refuse_without_cuda();
}

void GpuSteps::encode_binary(const VectorView&, const BinaryQuantizer&, const CodeSink&,
                             const OnBlock&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const BitRules&, const ListGroups&, const BlockSink&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const RulesOf<Sq8Quantizer>&, const ListGroups&,
                      const BlockSink&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const EncodingRules&, const ListGroups&,
                      const BlockSink&) {
  refuse_without_cuda();
}

}  // namespace warpdex::vector
