// The GPU engine of a build without CUDA: making an index throws what device_info() throws.
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"

namespace warpdex {
namespace {

[[noreturn]] void refuse() { throw CudaError(why_no_device(), CudaError::kNoCudaInBuild); }

}  // namespace

struct GpuIndex::State {};
struct GpuSearcher::State {};

GpuIndex::GpuIndex(const Index&, const GpuSettings&) { refuse(); }
GpuIndex::GpuIndex(GpuIndex&&) noexcept = default;
GpuIndex& GpuIndex::operator=(GpuIndex&&) noexcept = default;
GpuIndex::~GpuIndex() = default;
const Index& GpuIndex::index() const { refuse(); }
int GpuIndex::device() const { refuse(); }
bool GpuIndex::is_resident() const { refuse(); }
std::size_t GpuIndex::memory() const { refuse(); }
std::size_t GpuIndex::memory_left() const { refuse(); }

std::size_t GpuAnswers::size() const { refuse(); }
std::span<const Hit> GpuAnswers::hits(std::size_t) const { refuse(); }
SearchResult GpuAnswers::result(std::size_t) const { refuse(); }

GpuSearcher::GpuSearcher(const GpuIndex&, const GpuAblation&) { refuse(); }
GpuSearcher::GpuSearcher(GpuSearcher&&) noexcept = default;
GpuSearcher& GpuSearcher::operator=(GpuSearcher&&) noexcept = default;
GpuSearcher::~GpuSearcher() = default;
GpuAnswers GpuSearcher::run(std::span<const PlannedQuery>, const SearchSettings&) { refuse(); }
void GpuSearcher::submit(std::span<const PlannedQuery>, const SearchSettings&) { refuse(); }
GpuAnswers GpuSearcher::wait() { refuse(); }
const GpuStatistics& GpuSearcher::statistics() const { refuse(); }

}  // namespace warpdex
