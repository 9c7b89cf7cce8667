// Search on a GPU in a build without CUDA: constructing a searcher throws what device_info()
// throws.
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"

namespace warpdex::vector {
namespace {

[[noreturn]] void refuse() { throw CudaError(why_no_device(), CudaError::kNoCudaInBuild); }

}  // namespace

struct GpuFlatSearcher::State {};

GpuFlatSearcher::GpuFlatSearcher(const FlatVectors&, Resources&, const GpuFlatSettings&) {
  refuse();
}
GpuFlatSearcher::~GpuFlatSearcher() = default;
GpuFlatSearcher::GpuFlatSearcher(GpuFlatSearcher&&) noexcept = default;
GpuFlatSearcher& GpuFlatSearcher::operator=(GpuFlatSearcher&&) noexcept = default;
Neighbors GpuFlatSearcher::nearest(std::span<const float>, std::size_t, const RowFilter*) const {
  refuse();
}
RangeNeighbors GpuFlatSearcher::within(std::span<const float>, float, const RowFilter*) const {
  refuse();
}
void GpuFlatSearcher::nearest_on_gpu(const float*, std::size_t, std::size_t, std::int32_t*,
                                     float*) const {
  refuse();
}
bool GpuFlatSearcher::is_resident() const { refuse(); }
GpuFlatFigures GpuFlatSearcher::figures() const { refuse(); }

}  // namespace warpdex::vector
