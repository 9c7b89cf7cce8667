// Search by codes on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/ivf/gpu_ivf_pq_searcher.hpp"

namespace warpdex::vector {
struct GpuIvfPqSearcher::State {};

GpuIvfPqSearcher::GpuIvfPqSearcher(const IvfPqVectors&, Resources&, const GpuIvfPqSettings&) {
  refuse_without_cuda();
}
GpuIvfPqSearcher::~GpuIvfPqSearcher() = default;
GpuIvfPqSearcher::GpuIvfPqSearcher(GpuIvfPqSearcher&&) noexcept = default;
GpuIvfPqSearcher& GpuIvfPqSearcher::operator=(GpuIvfPqSearcher&&) noexcept = default;
Neighbors GpuIvfPqSearcher::nearest(std::span<const float>, std::size_t, std::size_t, std::size_t,
                                    const RowFilter*) const {
  refuse_without_cuda();
}
void GpuIvfPqSearcher::nearest_on_gpu(const float*, std::size_t, std::size_t, std::size_t,
                                      std::int32_t*, float*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuIvfPqSearcher::within(std::span<const float>, float, std::size_t,
                                        const RowFilter*) const {
  refuse_without_cuda();
}
bool GpuIvfPqSearcher::has_vectors() const { refuse_without_cuda(); }
GpuFlatFigures GpuIvfPqSearcher::figures() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
