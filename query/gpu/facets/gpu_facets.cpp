// Counts over all shards at the same time, and adds their counts up.
#include "warpdex/query/gpu/gpu_facets.hpp"

#include <cuda_runtime_api.h>

#include <mutex>
#include <utility>

#include "columns/make_facet.hpp"
#include "gpu/facets/facet_counter.hpp"

namespace warpdex {

struct GpuFacets::State {
  State(const Snapshot& counted, std::span<const GpuSnapshot> parts) : snapshot(counted) {
    for (const GpuSnapshot& part : parts) {
      if (part.snapshot().segments().empty() && parts.size() > 1) continue;
      shards.push_back(std::make_unique<gpu::FacetCounter>(part));
    }
  }

  std::uint64_t matches(const SearchSettings& settings) const {
    gpu::FacetCounter::Matches sum;
    for (const auto& shard : shards) shard->add_matches(sum);
    const bool is_and =
        settings.mode == QueryMode::kAnd ||
        (settings.mode == QueryMode::kAndOr && sum.of_and >= settings.and_or_min_matches());
    return is_and ? sum.of_and : sum.of_or;
  }
  Facet facet_of(std::size_t facet, const FacetRequest& wanted) const {
    const std::size_t place = check_facet(snapshot, wanted);
    std::vector<ValueCounts> of_segments;
    for (const auto& shard : shards) shard->add_counts(facet, place, of_segments);
    return make_facet(snapshot, wanted, of_segments, nullptr);
  }
  /// Waits for what is under way.
  void end() noexcept {
    for (const auto& shard : shards) {
      cudaStreamSynchronize(shard->stream.handle());  // what fails here was of no use
      shard->filters.clear();                         // others may need the memory
    }
  }

  const Snapshot snapshot;
  std::mutex mutex;  ///< protects the next
  std::vector<std::unique_ptr<gpu::FacetCounter>> shards;
};

GpuFacets::GpuFacets(const GpuSnapshot& snapshot)
    : GpuFacets(snapshot.snapshot(), std::span(&snapshot, 1)) {}
GpuFacets::GpuFacets(const Snapshot& snapshot, std::span<const GpuSnapshot> shards)
    : state_(std::make_unique<State>(snapshot, shards)) {}
GpuFacets::~GpuFacets() = default;
GpuFacets::GpuFacets(GpuFacets&&) noexcept = default;
GpuFacets& GpuFacets::operator=(GpuFacets&&) noexcept = default;

struct GpuFacets::Counting::State {
  GpuFacets::State& counter;
  std::unique_lock<std::mutex> lock;
  const SearchSettings& settings;
  std::span<const FacetRequest> wanted;
};

GpuFacets::Counting::Counting(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuFacets::Counting::Counting(Counting&&) noexcept = default;

GpuFacets::Counting::~Counting() {
  if (state_) state_->counter.end();
}

GpuFacets::Found GpuFacets::Counting::finish() {
  const std::unique_ptr<State> state = std::move(state_);
  GpuFacets::State& counter = state->counter;
  for (const auto& shard : counter.shards) {
    shard->stream.synchronize();
    shard->filters.clear();
  }
  Found found{counter.matches(state->settings), {}};
  for (std::size_t i = 0; i < state->wanted.size(); ++i) {
    found.facets.push_back(counter.facet_of(i, state->wanted[i]));
  }
  return found;
}

std::optional<GpuFacets::Counting> GpuFacets::start(const PlannedQuery& plan,
                                                    const SearchSettings& settings,
                                                    std::span<const FacetRequest> wanted) {
  State& state = *state_;
  if (state.shards.size() != 1 && settings.mode == QueryMode::kAndOr) return std::nullopt;
  Counting counting(std::make_unique<Counting::State>(
      Counting::State{state, std::unique_lock(state.mutex), settings, wanted}));
  for (const auto& shard : state.shards) {
    if (!shard->start(plan, settings, wanted)) return std::nullopt;  // waits for the others
  }
  return counting;
}

std::optional<GpuFacets::Found> GpuFacets::count(const PlannedQuery& plan,
                                                 const SearchSettings& settings,
                                                 std::span<const FacetRequest> wanted) {
  std::optional<Counting> counting = start(plan, settings, wanted);
  if (!counting) return std::nullopt;
  return counting->finish();
}

}  // namespace warpdex
