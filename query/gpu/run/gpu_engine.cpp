// Takes batches over an index, or over what GPUs have of a snapshot.
#include "warpdex/query/gpu/gpu_engine.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/run/blocks_engine.hpp"
#include "gpu/run/segment_engine.hpp"
#include "gpu/run/snapshot_engine.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

void check_room(const GpuEngineSettings& settings) {
  if (settings.max_batches == 0) {
    throw UsageError("an engine with room for 0 batches answers nothing; max_batches is 1 or more");
  }
}

/// Set in the tickets of batches that go by blocks of documents.
constexpr std::uint64_t kByBlocks = std::uint64_t{1} << 63;

std::uint64_t number_of(Ticket ticket) { return static_cast<std::uint64_t>(ticket); }
Ticket without_mark(Ticket ticket) { return Ticket{number_of(ticket) & ~kByBlocks}; }

}  // namespace

struct GpuEngine::State {
  std::vector<GpuSnapshot> snapshots;            ///< that are searched, if it is no index
  std::unique_ptr<gpu::SegmentEngine> at_once;   ///< of an index, or of all segments together
  std::unique_ptr<gpu::SnapshotEngine> apart;    ///< where that is null
  std::unique_ptr<gpu::BlocksEngine> by_blocks;  ///< of a whole snapshot, or none

  /// Whether a batch goes by blocks.
  bool is_by_blocks(Ticket ticket) const {
    return by_blocks != nullptr && (number_of(ticket) & kByBlocks) != 0;
  }
  /// The plans as `at_once` takes them.
  gpu::SegmentPlans plans(std::span<const PlannedQuery> all) const {
    if (snapshots.empty() || snapshots[0].state().is_plain) return all;
    const GpuSnapshot::State& uploaded = snapshots[0].state();
    if (uploaded.joined) return gpu::SegmentPlans::of_all(all, uploaded.range.first);
    return {all, uploaded.range.first};
  }
};

GpuEngine::GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>()) {
  check_room(settings);
  state_->at_once = std::make_unique<gpu::SegmentEngine>(index.state(), gpu::Removals{}, settings);
}

GpuEngine::GpuEngine(const GpuSnapshot& snapshot, const GpuEngineSettings& settings)
    : GpuEngine(std::span(&snapshot, 1), settings) {}

GpuEngine::GpuEngine(std::span<const GpuSnapshot> parts, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>()) {
  check_room(settings);
  state_->snapshots.assign(parts.begin(), parts.end());
  const GpuSnapshot::State* const alone = parts.size() == 1 ? &parts[0].state() : nullptr;
  if (alone != nullptr && alone->joined) {
    state_->at_once = std::make_unique<gpu::SegmentEngine>(*alone->joined, settings);
  } else if (alone != nullptr && alone->segments.size() == 1 && alone->is_all) {
    const GpuSnapshot::State::Segment& segment = alone->segments[0];
    state_->at_once = std::make_unique<gpu::SegmentEngine>(segment.uploaded->placed,
                                                           segment.removals(), settings);
  } else {
    state_->apart = std::make_unique<gpu::SnapshotEngine>(state_->snapshots, settings);
  }
  if (settings.blocks && alone != nullptr && alone->is_all) {
    state_->by_blocks = std::make_unique<gpu::BlocksEngine>(parts[0], settings.blocks, settings);
  }
}

GpuEngine::~GpuEngine() = default;
GpuEngine::GpuEngine(GpuEngine&&) noexcept = default;
GpuEngine& GpuEngine::operator=(GpuEngine&&) noexcept = default;

Ticket GpuEngine::submit(std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) {
  check_settings(settings, plans.size());
  if (state_->by_blocks && state_->by_blocks->takes(plans, settings)) {
    const auto ticket = state_->by_blocks->submit(plans, settings);
    if (ticket) return Ticket{number_of(*ticket) | kByBlocks};
  }
  if (state_->at_once) return state_->at_once->submit(state_->plans(plans), settings);
  return state_->apart->submit(plans, settings);
}

bool GpuEngine::poll(Ticket ticket) {
  if (state_->is_by_blocks(ticket)) return state_->by_blocks->poll(without_mark(ticket));
  return state_->at_once ? state_->at_once->poll(ticket) : state_->apart->poll(ticket);
}

EarlyAnswers GpuEngine::early_answers(Ticket ticket) {
  if (state_->is_by_blocks(ticket)) {
    return state_->by_blocks->early_answers(without_mark(ticket));
  }
  if (state_->at_once) return state_->at_once->early_answers(ticket);
  return state_->apart->early_answers(ticket);
}

BatchAnswers GpuEngine::wait(Ticket ticket) {
  if (state_->is_by_blocks(ticket)) return state_->by_blocks->wait(without_mark(ticket));
  return state_->at_once ? state_->at_once->wait(ticket) : state_->apart->wait(ticket);
}

GpuStatistics GpuEngine::statistics() const {
  GpuStatistics sum = state_->at_once ? state_->at_once->statistics() : state_->apart->statistics();
  if (state_->by_blocks) sum.queries += state_->by_blocks->queries();
  return sum;
}

}  // namespace warpdex
