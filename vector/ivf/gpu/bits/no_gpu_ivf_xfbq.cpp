// Search by binary codes in lists on a GPU in a build without CUDA: it throws what device_info()
// throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/ivf/gpu_ivf_xfbq_searcher.hpp"

namespace warpdex::vector {
struct GpuIvfXfbqSearcher::State {};

GpuIvfXfbqSearcher::GpuIvfXfbqSearcher(const IvfXfbqVectors&, Resources&,
                                       const GpuIvfXfbqSettings&) {
  refuse_without_cuda();
}
GpuIvfXfbqSearcher::~GpuIvfXfbqSearcher() = default;
GpuIvfXfbqSearcher::GpuIvfXfbqSearcher(GpuIvfXfbqSearcher&&) noexcept = default;
GpuIvfXfbqSearcher& GpuIvfXfbqSearcher::operator=(GpuIvfXfbqSearcher&&) noexcept = default;
Neighbors GpuIvfXfbqSearcher::nearest(std::span<const float>, std::size_t, std::size_t,
                                      const XfbqDepth&, const RowFilter*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuIvfXfbqSearcher::within(std::span<const float>, float, std::size_t,
                                          const XfbqDepth&, const RowFilter*) const {
  refuse_without_cuda();
}
bool GpuIvfXfbqSearcher::has_vectors() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
