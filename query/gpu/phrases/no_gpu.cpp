// Phrases on a GPU in a build without CUDA: constructing anything throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"

namespace warpdex {
struct GpuPositions::State {};
GpuPositions::GpuPositions(const GpuSnapshot&) { refuse_without_cuda(); }
GpuPositions GpuPositions::next(const GpuSnapshot&) const { refuse_without_cuda(); }
const GpuSnapshot& GpuPositions::snapshot() const { refuse_without_cuda(); }
bool GpuPositions::is_resident() const { refuse_without_cuda(); }
std::size_t GpuPositions::memory() const { refuse_without_cuda(); }
std::size_t GpuPositions::new_memory() const { refuse_without_cuda(); }

struct GpuPhrases::State {};
GpuPhrases::GpuPhrases(const GpuPositions&, std::size_t) { refuse_without_cuda(); }
GpuPhrases::GpuPhrases(const Snapshot&, std::span<const GpuPositions>, std::size_t) {
  refuse_without_cuda();
}
GpuPhrases::~GpuPhrases() = default;
GpuPhrases::GpuPhrases(GpuPhrases&&) noexcept = default;
GpuPhrases& GpuPhrases::operator=(GpuPhrases&&) noexcept = default;
const Snapshot& GpuPhrases::snapshot() const { refuse_without_cuda(); }
std::vector<std::optional<SearchResult>> GpuPhrases::search(std::span<const QueryNode* const>,
                                                            const SearchSettings&) {
  refuse_without_cuda();
}

}  // namespace warpdex
