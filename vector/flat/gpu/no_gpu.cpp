// Search on a GPU in a build without CUDA: constructing a searcher throws what device_info()
// throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::vector {
struct GpuSegmentVectors::State {};
GpuSegmentVectors::GpuSegmentVectors(const FlatVectors&, Resources&) { refuse_without_cuda(); }
GpuSegmentVectors::~GpuSegmentVectors() = default;
bool GpuSegmentVectors::is_resident() const { refuse_without_cuda(); }
std::size_t GpuSegmentVectors::memory() const { refuse_without_cuda(); }

struct GpuSegmentSearcher::State {};
GpuSegmentSearcher::GpuSegmentSearcher(std::vector<GpuSegment>, Resources&) {
  refuse_without_cuda();
}
GpuSegmentSearcher::~GpuSegmentSearcher() = default;
GpuSegmentSearcher::GpuSegmentSearcher(GpuSegmentSearcher&&) noexcept = default;
GpuSegmentSearcher& GpuSegmentSearcher::operator=(GpuSegmentSearcher&&) noexcept = default;
std::size_t GpuSegmentSearcher::live_rows() const { refuse_without_cuda(); }
std::size_t GpuSegmentSearcher::set_words() const { refuse_without_cuda(); }
std::size_t GpuSegmentSearcher::first_word(std::size_t) const { refuse_without_cuda(); }
void GpuSegmentSearcher::nearest(std::span<const float>, std::size_t, const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_on_gpu(std::span<const float>, std::size_t,
                                        const TakeRows&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_within(std::span<const float>, std::size_t, const FillSets&,
                                        const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_passing(std::span<const float>, std::size_t, std::size_t,
                                         const FillSets&, const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_among(std::span<const float>, std::size_t,
                                       std::span<const std::uint32_t>,
                                       std::span<const std::uint32_t>, const TakeAnswers&) const {
  refuse_without_cuda();
}

}  // namespace warpdex::vector
