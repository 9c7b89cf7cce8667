// Search by binary codes on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"

namespace warpdex::vector {
struct GpuXfbqSearcher::State {};

GpuXfbqSearcher::GpuXfbqSearcher(const XfbqVectors&, Resources&, const GpuXfbqSettings&) {
  refuse();
}
GpuXfbqSearcher::~GpuXfbqSearcher() = default;
GpuXfbqSearcher::GpuXfbqSearcher(GpuXfbqSearcher&&) noexcept = default;
GpuXfbqSearcher& GpuXfbqSearcher::operator=(GpuXfbqSearcher&&) noexcept = default;
Neighbors GpuXfbqSearcher::nearest(std::span<const float>, std::size_t, const XfbqDepth&,
                                   const RowFilter*) const {
  refuse();
}
BoundedNeighbors GpuXfbqSearcher::nearest_by_bound(std::span<const float>, std::size_t,
                                                   const XfbqDepth&, const RowFilter*) const {
  refuse();
}
RangeNeighbors GpuXfbqSearcher::within(std::span<const float>, float, const XfbqDepth&,
                                       const RowFilter*) const {
  refuse();
}
bool GpuXfbqSearcher::has_vectors() const { refuse(); }
GpuFlatFigures GpuXfbqSearcher::figures() const { refuse(); }

}  // namespace warpdex::vector
