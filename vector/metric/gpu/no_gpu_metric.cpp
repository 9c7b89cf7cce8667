// The permutation index on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"

namespace warpdex::metric {
struct GpuPermutationSearcher::State {};

GpuPermutationSearcher::GpuPermutationSearcher(const ObjectsView&, std::span<const std::uint32_t>,
                                               const Permutations&, Resources&,
                                               const GpuMetricSettings&) {
  refuse_without_cuda();
}
GpuPermutationSearcher::~GpuPermutationSearcher() = default;
GpuPermutationSearcher::GpuPermutationSearcher(GpuPermutationSearcher&&) noexcept = default;
GpuPermutationSearcher& GpuPermutationSearcher::operator=(GpuPermutationSearcher&&) noexcept =
    default;
Matches GpuPermutationSearcher::nearest(const QueryObjects&, std::size_t,
                                        const MetricSearchSettings&) const {
  refuse_without_cuda();
}
Matches GpuPermutationSearcher::within(const QueryObjects&, float,
                                       const MetricSearchSettings&) const {
  refuse_without_cuda();
}

std::unique_ptr<std::uint8_t[]> rank_permutants_on_gpu(const ObjectsView&,
                                                       std::span<const std::uint32_t>, Resources&,
                                                       std::size_t, const MetricProgress&) {
  refuse_without_cuda();
}

}  // namespace warpdex::metric
