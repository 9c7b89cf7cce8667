// Search by binary codes on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/binary/gpu_binary_searcher.hpp"

namespace warpdex::vector {
struct GpuBinarySearcher::State {};

GpuBinarySearcher::GpuBinarySearcher(const BinaryVectors&, Resources&, const GpuBinarySettings&) {
  refuse_without_cuda();
}
GpuBinarySearcher::~GpuBinarySearcher() = default;
GpuBinarySearcher::GpuBinarySearcher(GpuBinarySearcher&&) noexcept = default;
GpuBinarySearcher& GpuBinarySearcher::operator=(GpuBinarySearcher&&) noexcept = default;
Neighbors GpuBinarySearcher::nearest(std::span<const float>, std::size_t, const BinaryDepth&,
                                     const RowFilter*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuBinarySearcher::within(std::span<const float>, float, const BinaryDepth&,
                                         const RowFilter*) const {
  refuse_without_cuda();
}
bool GpuBinarySearcher::has_vectors() const { refuse_without_cuda(); }
GpuFlatFigures GpuBinarySearcher::figures() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
