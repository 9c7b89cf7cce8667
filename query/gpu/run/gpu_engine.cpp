// Takes batches over an index, or over the segments of a snapshot.
#include "warpdex/query/gpu/gpu_engine.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/run/segment_engine.hpp"
#include "gpu/run/snapshot_batch.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// The batches over the segments of a snapshot.
class SnapshotEngine {
 public:
  SnapshotEngine(const GpuSnapshot& snapshot, const GpuEngineSettings& settings)
      : max_batches_(settings.max_batches) {
    std::uint64_t most = 0;
    for (const GpuSnapshot::State::Segment& segment : snapshot.state().segments) {
      const std::uint64_t documents = segment.uploaded->index->counts().documents;
      if (documents > most) segments_.largest = segments_.searchers.size();
      most = std::max(most, documents);
      auto engine = std::make_unique<gpu::SegmentEngine>(segment.uploaded->placed,
                                                         segment.removals(), settings);
      engines_.push_back(engine.get());
      segments_.first_documents.push_back(segment.first_document -
                                          segment.uploaded->placed.first_document);
      segments_.searchers.push_back(std::move(engine));
    }
  }

  Ticket submit(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings) {
    if (batches_.size() == max_batches_) throw UsageError(gpu::too_many_batches(max_batches_));
    auto batch = std::make_unique<gpu::SnapshotBatch>(segments_, plans, settings);
    batches_.emplace(++last_ticket_, std::move(batch));
    return Ticket{last_ticket_};
  }

  bool poll(Ticket ticket) {
    const auto found = find(ticket);
    try {
      return found->second->poll();
    } catch (...) {
      batches_.erase(found);
      throw;
    }
  }

  /// None: the answers of the segments are merged when all are there.
  EarlyAnswers early_answers(Ticket ticket) {
    find(ticket);
    return {};
  }

  BatchAnswers wait(Ticket ticket) {
    const std::unique_ptr<gpu::SnapshotBatch> batch = std::move(find(ticket)->second);
    batches_.erase(static_cast<std::uint64_t>(ticket));
    batch->wait();
    const std::shared_ptr<const gpu::MergedAnswers> answers = batch->answers();
    std::uint64_t unanswered = 0;
    for (std::size_t i = 0; i < answers->size(); ++i) unanswered += answers->is_answered(i) ? 0 : 1;
    unanswered_queries_ += unanswered;
    queries_ += answers->size() - unanswered;
    return BatchAnswers(answers);
  }

  /// A query counts once, not once a segment.
  GpuStatistics statistics() const {
    GpuStatistics sum;
    for (const gpu::SegmentEngine* engine : engines_) add(engine->statistics(), sum);
    sum.queries = queries_;
    sum.unanswered_queries = unanswered_queries_;
    return sum;
  }

 private:
  using Batches = std::map<std::uint64_t, std::unique_ptr<gpu::SnapshotBatch>>;

  Batches::iterator find(Ticket ticket) {
    const auto found = batches_.find(static_cast<std::uint64_t>(ticket));
    if (found == batches_.end()) throw UsageError(gpu::unknown_ticket(ticket));
    return found;
  }

  const std::size_t max_batches_;
  gpu::SearchedSegments segments_;
  std::vector<const gpu::SegmentEngine*> engines_;  ///< those in segments_
  Batches batches_;                                 ///< by ticket; they end before the segments
  std::uint64_t last_ticket_ = 0;
  std::uint64_t queries_ = 0;
  std::uint64_t unanswered_queries_ = 0;
};

void check_room(const GpuEngineSettings& settings) {
  if (settings.max_batches == 0) {
    throw UsageError("an engine with room for 0 batches answers nothing; max_batches is 1 or more");
  }
}

}  // namespace

struct GpuEngine::State {
  std::optional<GpuSnapshot> snapshot;          ///< that is searched, if it is one
  std::unique_ptr<gpu::SegmentEngine> at_once;  ///< of an index, or of all segments together
  std::unique_ptr<SnapshotEngine> of_segments;  ///< where that is null

  /// The plans as `at_once` takes them.
  gpu::SegmentPlans plans(std::span<const PlannedQuery> all) const {
    if (!snapshot || snapshot->snapshot().is_plain()) return all;
    if (snapshot->state().joined) return gpu::SegmentPlans::of_all(all);
    return {all, 0};
  }
};

GpuEngine::GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>()) {
  check_room(settings);
  state_->at_once = std::make_unique<gpu::SegmentEngine>(index.state(), gpu::Removals{}, settings);
}

GpuEngine::GpuEngine(const GpuSnapshot& snapshot, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>()) {
  check_room(settings);
  state_->snapshot = snapshot;
  const GpuSnapshot::State& uploaded = snapshot.state();
  if (uploaded.segments.size() == 1) {
    const GpuSnapshot::State::Segment& segment = uploaded.segments[0];
    state_->at_once = std::make_unique<gpu::SegmentEngine>(segment.uploaded->placed,
                                                           segment.removals(), settings);
  } else if (uploaded.joined) {
    state_->at_once = std::make_unique<gpu::SegmentEngine>(*uploaded.joined, settings);
  } else {
    state_->of_segments = std::make_unique<SnapshotEngine>(snapshot, settings);
  }
}

GpuEngine::~GpuEngine() = default;
GpuEngine::GpuEngine(GpuEngine&&) noexcept = default;
GpuEngine& GpuEngine::operator=(GpuEngine&&) noexcept = default;

Ticket GpuEngine::submit(std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) {
  check_settings(settings, plans.size());
  if (state_->at_once) return state_->at_once->submit(state_->plans(plans), settings);
  return state_->of_segments->submit(plans, settings);
}

bool GpuEngine::poll(Ticket ticket) {
  return state_->at_once ? state_->at_once->poll(ticket) : state_->of_segments->poll(ticket);
}

EarlyAnswers GpuEngine::early_answers(Ticket ticket) {
  if (state_->at_once) return state_->at_once->early_answers(ticket);
  return state_->of_segments->early_answers(ticket);
}

BatchAnswers GpuEngine::wait(Ticket ticket) {
  return state_->at_once ? state_->at_once->wait(ticket) : state_->of_segments->wait(ticket);
}

GpuStatistics GpuEngine::statistics() const {
  return state_->at_once ? state_->at_once->statistics() : state_->of_segments->statistics();
}

}  // namespace warpdex
