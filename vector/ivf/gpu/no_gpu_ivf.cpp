// Search of an inverted file on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/ivf/gpu_ivf_searcher.hpp"

namespace warpdex::vector {
struct GpuIvfSearcher::State {};

GpuIvfSearcher::GpuIvfSearcher(const IvfVectors&, Resources&, std::size_t) {
  refuse_without_cuda();
}
GpuIvfSearcher::~GpuIvfSearcher() = default;
GpuIvfSearcher::GpuIvfSearcher(GpuIvfSearcher&&) noexcept = default;
GpuIvfSearcher& GpuIvfSearcher::operator=(GpuIvfSearcher&&) noexcept = default;
Neighbors GpuIvfSearcher::nearest(std::span<const float>, std::size_t, std::size_t,
                                  const RowFilter*) const {
  refuse_without_cuda();
}
void GpuIvfSearcher::nearest_on_gpu(const float*, std::size_t, std::size_t, std::size_t,
                                    std::int32_t*, float*) const {
  refuse_without_cuda();
}
RangeNeighbors GpuIvfSearcher::within(std::span<const float>, float, std::size_t,
                                      const RowFilter*) const {
  refuse_without_cuda();
}
GpuFlatFigures GpuIvfSearcher::figures() const { refuse_without_cuda(); }

}  // namespace warpdex::vector
