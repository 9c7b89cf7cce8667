// The GPU engine of a build without CUDA: constructing an index throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/query/gpu/gpu_blocks.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_facets.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {
struct GpuIndex::State {};
struct GpuSnapshot::State {};
struct GpuBlocks::State {};
struct GpuEngine::State {};
struct GpuGroupEngine::State {};
struct GpuFacets::State {};

GpuIndex::GpuIndex(const Index&, Resources&, const GpuIndexSettings&) { refuse_without_cuda(); }
GpuIndex::GpuIndex(GpuIndex&&) noexcept = default;
GpuIndex& GpuIndex::operator=(GpuIndex&&) noexcept = default;
GpuIndex::~GpuIndex() = default;
const Index& GpuIndex::index() const { refuse_without_cuda(); }
int GpuIndex::device() const { refuse_without_cuda(); }
bool GpuIndex::is_resident() const { refuse_without_cuda(); }
bool GpuIndex::has_list(const PostingsEntry&) const { refuse_without_cuda(); }
std::size_t GpuIndex::memory() const { refuse_without_cuda(); }
std::size_t GpuIndex::memory_left() const { refuse_without_cuda(); }

GpuSnapshot::GpuSnapshot(const Snapshot&, Resources&) { refuse_without_cuda(); }
GpuSnapshot::GpuSnapshot(const Snapshot&, std::size_t, std::size_t, Resources&) {
  refuse_without_cuda();
}
GpuSnapshot GpuSnapshot::next(const Snapshot&) const { refuse_without_cuda(); }
GpuSnapshot GpuSnapshot::next(const Snapshot&, std::size_t, std::size_t) const {
  refuse_without_cuda();
}
const Snapshot& GpuSnapshot::snapshot() const { refuse_without_cuda(); }
int GpuSnapshot::device() const { refuse_without_cuda(); }
bool GpuSnapshot::is_resident() const { refuse_without_cuda(); }
bool GpuSnapshot::has_list(std::size_t, const PostingsEntry&) const { refuse_without_cuda(); }
std::size_t GpuSnapshot::memory() const { refuse_without_cuda(); }
std::size_t GpuSnapshot::new_memory() const { refuse_without_cuda(); }

GpuBlocks::GpuBlocks(const Snapshot&, const SnapshotBlocks&, std::span<Resources* const>,
                     const GpuBlocks*) {
  refuse_without_cuda();
}
GpuBlocks::~GpuBlocks() = default;
std::size_t GpuBlocks::memory() const { refuse_without_cuda(); }

GpuEngine::GpuEngine(const GpuIndex&, const GpuEngineSettings&) { refuse_without_cuda(); }
GpuEngine::GpuEngine(const GpuSnapshot&, const GpuEngineSettings&) { refuse_without_cuda(); }
GpuEngine::GpuEngine(std::span<const GpuSnapshot>, const GpuEngineSettings&) {
  refuse_without_cuda();
}
GpuEngine::~GpuEngine() = default;
GpuEngine::GpuEngine(GpuEngine&&) noexcept = default;
GpuEngine& GpuEngine::operator=(GpuEngine&&) noexcept = default;
Ticket GpuEngine::submit(std::span<const PlannedQuery>, std::span<const SearchSettings>) {
  refuse_without_cuda();
}
bool GpuEngine::poll(Ticket) { refuse_without_cuda(); }
EarlyAnswers GpuEngine::early_answers(Ticket) { refuse_without_cuda(); }
BatchAnswers GpuEngine::wait(Ticket) { refuse_without_cuda(); }
GpuStatistics GpuEngine::statistics() const { refuse_without_cuda(); }

GpuGroup::GpuGroup(const Snapshot& snapshot, std::span<Resources* const>, std::size_t)
    : snapshot_(snapshot) {
  refuse_without_cuda();
}
GpuGroup GpuGroup::next(const Snapshot&) const { refuse_without_cuda(); }
std::size_t GpuGroup::used_shards() const { refuse_without_cuda(); }
bool GpuGroup::is_resident() const { refuse_without_cuda(); }
bool GpuGroup::has_list(std::size_t, const PostingsEntry&) const { refuse_without_cuda(); }
std::size_t GpuGroup::memory() const { refuse_without_cuda(); }
std::size_t GpuGroup::new_memory() const { refuse_without_cuda(); }

GpuGroupEngine::GpuGroupEngine(const GpuGroup&, const GpuEngineSettings&) { refuse_without_cuda(); }
GpuGroupEngine::~GpuGroupEngine() = default;
GpuGroupEngine::GpuGroupEngine(GpuGroupEngine&&) noexcept = default;
GpuGroupEngine& GpuGroupEngine::operator=(GpuGroupEngine&&) noexcept = default;
Ticket GpuGroupEngine::submit(std::span<const PlannedQuery>, std::span<const SearchSettings>) {
  refuse_without_cuda();
}
bool GpuGroupEngine::poll(Ticket) { refuse_without_cuda(); }
EarlyAnswers GpuGroupEngine::early_answers(Ticket) { refuse_without_cuda(); }
BatchAnswers GpuGroupEngine::wait(Ticket) { refuse_without_cuda(); }
GpuStatistics GpuGroupEngine::statistics() const { refuse_without_cuda(); }

GpuFacets::GpuFacets(const GpuSnapshot&) { refuse_without_cuda(); }
GpuFacets::GpuFacets(const Snapshot&, std::span<const GpuSnapshot>) { refuse_without_cuda(); }
GpuFacets::~GpuFacets() = default;
GpuFacets::GpuFacets(GpuFacets&&) noexcept = default;
GpuFacets& GpuFacets::operator=(GpuFacets&&) noexcept = default;
struct GpuFacets::Counting::State {};
GpuFacets::Counting::Counting(std::unique_ptr<State>) { refuse_without_cuda(); }
GpuFacets::Counting::Counting(Counting&&) noexcept = default;
GpuFacets::Counting::~Counting() = default;
GpuFacets::Found GpuFacets::Counting::finish() { refuse_without_cuda(); }
std::optional<GpuFacets::Counting> GpuFacets::start(const PlannedQuery&, const SearchSettings&,
                                                    std::span<const FacetRequest>) {
  refuse_without_cuda();
}
std::optional<GpuFacets::Found> GpuFacets::count(const PlannedQuery&, const SearchSettings&,
                                                 std::span<const FacetRequest>) {
  refuse_without_cuda();
}

}  // namespace warpdex
