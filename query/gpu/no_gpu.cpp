// The GPU engine of a build without CUDA: constructing an index throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
struct GpuIndex::State {};
struct GpuSnapshot::State {};
struct GpuEngine::State {};

GpuIndex::GpuIndex(const Index&, Resources&, const GpuIndexSettings&) { refuse(); }
GpuIndex::GpuIndex(GpuIndex&&) noexcept = default;
GpuIndex& GpuIndex::operator=(GpuIndex&&) noexcept = default;
GpuIndex::~GpuIndex() = default;
const Index& GpuIndex::index() const { refuse(); }
int GpuIndex::device() const { refuse(); }
bool GpuIndex::is_resident() const { refuse(); }
bool GpuIndex::has_list(const PostingsEntry&) const { refuse(); }
std::size_t GpuIndex::memory() const { refuse(); }
std::size_t GpuIndex::memory_left() const { refuse(); }

GpuSnapshot::GpuSnapshot(const Snapshot&, Resources&) { refuse(); }
GpuSnapshot GpuSnapshot::next(const Snapshot&) const { refuse(); }
const Snapshot& GpuSnapshot::snapshot() const { refuse(); }
int GpuSnapshot::device() const { refuse(); }
bool GpuSnapshot::is_resident() const { refuse(); }
bool GpuSnapshot::has_list(std::size_t, const PostingsEntry&) const { refuse(); }
std::size_t GpuSnapshot::memory() const { refuse(); }
std::size_t GpuSnapshot::new_memory() const { refuse(); }

GpuEngine::GpuEngine(const GpuIndex&, const GpuEngineSettings&) { refuse(); }
GpuEngine::GpuEngine(const GpuSnapshot&, const GpuEngineSettings&) { refuse(); }
GpuEngine::~GpuEngine() = default;
GpuEngine::GpuEngine(GpuEngine&&) noexcept = default;
GpuEngine& GpuEngine::operator=(GpuEngine&&) noexcept = default;
Ticket GpuEngine::submit(std::span<const PlannedQuery>, std::span<const SearchSettings>) {
  refuse();
}
bool GpuEngine::poll(Ticket) { refuse(); }
BatchAnswers GpuEngine::wait(Ticket) { refuse(); }
GpuStatistics GpuEngine::statistics() const { refuse(); }

}  // namespace warpdex
