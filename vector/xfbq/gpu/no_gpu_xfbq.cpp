// Search by binary codes on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"

namespace warpdex::vector {
struct GpuXfbqSearcher::State {};

GpuXfbqSearcher::GpuXfbqSearcher(const XfbqVectors&, Resources&, const GpuXfbqSettings&) {
  refuse_without_cuda();
}
GpuXfbqSearcher::~GpuXfbqSearcher() = default;
GpuXfbqSearcher::GpuXfbqSearcher(GpuXfbqSearcher&&) noexcept = default;
GpuXfbqSearcher& GpuXfbqSearcher::operator=(GpuXfbqSearcher&&) noexcept = default;
Neighbors GpuXfbqSearcher::nearest(std::span<const float>, std::size_t, const XfbqDepth&,
                                   const RowFilter*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuXfbqSearcher::within(std::span<const float>, float, const XfbqDepth&,
                                       const RowFilter*) const {
  refuse_without_cuda();
}
bool GpuXfbqSearcher::has_vectors() const { refuse_without_cuda(); }
GpuFlatFigures GpuXfbqSearcher::figures() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
