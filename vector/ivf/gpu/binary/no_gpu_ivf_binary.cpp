// Search by binary codes in lists on a GPU in a build without CUDA: it throws what device_info()
// throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/ivf/gpu_ivf_binary_searcher.hpp"

namespace warpdex::vector {
struct GpuIvfBinarySearcher::State {};

GpuIvfBinarySearcher::GpuIvfBinarySearcher(const IvfBinaryVectors&, Resources&,
                                           const GpuIvfBinarySettings&) {
  refuse_without_cuda();
}
GpuIvfBinarySearcher::~GpuIvfBinarySearcher() = default;
GpuIvfBinarySearcher::GpuIvfBinarySearcher(GpuIvfBinarySearcher&&) noexcept = default;
GpuIvfBinarySearcher& GpuIvfBinarySearcher::operator=(GpuIvfBinarySearcher&&) noexcept = default;
Neighbors GpuIvfBinarySearcher::nearest(std::span<const float>, std::size_t, std::size_t,
                                        const BinaryDepth&, const RowFilter*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuIvfBinarySearcher::within(std::span<const float>, float, std::size_t,
                                            const BinaryDepth&, const RowFilter*) const {
  refuse_without_cuda();
}
bool GpuIvfBinarySearcher::has_vectors() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
