// Hybrid search on a GPU in a build without CUDA: constructing anything throws what device_info()
// throws.
#include "gpu/hybrid/gpu_hybrid.hpp"
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"

namespace warpdex {
struct GpuVectors::State {};
GpuVectors::GpuVectors(const GpuSnapshot&, std::size_t) { refuse_without_cuda(); }
GpuVectors GpuVectors::next(const GpuSnapshot&) const { refuse_without_cuda(); }
const GpuSnapshot& GpuVectors::snapshot() const { refuse_without_cuda(); }
std::size_t GpuVectors::set() const { refuse_without_cuda(); }
bool GpuVectors::is_resident() const { refuse_without_cuda(); }
std::size_t GpuVectors::memory() const { refuse_without_cuda(); }
std::size_t GpuVectors::new_memory() const { refuse_without_cuda(); }

namespace gpu {

struct GpuHybrid::State {};
GpuHybrid::GpuHybrid(const GpuVectors&, QueryThreads&) { refuse_without_cuda(); }
GpuHybrid::~GpuHybrid() = default;
bool GpuHybrid::has_vectors() const { refuse_without_cuda(); }
bool GpuHybrid::has_lists() const { refuse_without_cuda(); }
std::uint32_t GpuHybrid::most_neighbors() const { refuse_without_cuda(); }
std::vector<std::vector<Hit>> GpuHybrid::nearest(std::span<const float>, std::uint32_t,
                                                 const vector::SearchOptions&,
                                                 const DocumentFilter*) {
  refuse_without_cuda();
}
std::vector<SearchResult> GpuHybrid::rerank(std::span<const std::span<const Hit>>,
                                            std::span<const float>, std::uint32_t) {
  refuse_without_cuda();
}
std::vector<SearchResult> GpuHybrid::filter(std::span<const PlannedQuery>, std::span<const float>,
                                            const SearchSettings&) {
  refuse_without_cuda();
}
std::vector<SearchResult> GpuHybrid::neighbors(std::span<const PlannedQuery>,
                                               std::span<const float>, const SearchSettings&,
                                               std::uint32_t, const vector::SearchOptions&) {
  refuse_without_cuda();
}

}  // namespace gpu
}  // namespace warpdex
