// Makes a searcher for each part, and keeps the batches that are under way.
#include "gpu/run/snapshot_engine.hpp"

#include <utility>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {

SnapshotEngine::SnapshotEngine(std::span<const GpuSnapshot> snapshots,
                               const GpuEngineSettings& settings)
    : max_batches_(settings.max_batches) {
  for (const GpuSnapshot& snapshot : snapshots) add(snapshot, settings);
  while (parts_.helpers.size() + 1 < parts_.first.size()) {
    parts_.helpers.push_back(std::make_unique<AlertThread>());
  }
}

/// The largest part of each GPU is searched first.
void SnapshotEngine::add(const GpuSnapshot& snapshot, const GpuEngineSettings& settings) {
  const GpuSnapshot::State& state = snapshot.state();
  const std::size_t before = parts_.all.size();
  std::size_t largest = before;
  const std::uint64_t documents = state.snapshot.documents();
  if (state.joined) {
    add({std::make_unique<SegmentEngine>(*state.joined, settings), state.range.first,
         SearchedPart::Plan::kJoined, 0, documents});
  } else {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < state.segments.size(); ++i) {
      const GpuSnapshot::State::Segment& segment = state.segments[i];
      const GpuIndex::State& placed = segment.uploaded->placed;
      if (placed.documents > most) largest = parts_.all.size();
      most = std::max<std::uint64_t>(most, placed.documents);
      add({std::make_unique<SegmentEngine>(placed, segment.removals(), settings), state.number(i),
           state.is_plain ? SearchedPart::Plan::kWhole : SearchedPart::Plan::kSegment,
           segment.first_document - placed.first_document, documents});
    }
  }
  for (std::size_t i = before; i < parts_.all.size(); ++i) {
    (i == largest ? parts_.first : parts_.others).push_back(i);
  }
}

void SnapshotEngine::add(SearchedPart part) {
  engines_.push_back(static_cast<const SegmentEngine*>(part.searcher.get()));
  parts_.all.push_back(std::move(part));
}

Ticket SnapshotEngine::submit(std::span<const PlannedQuery> plans,
                              std::span<const SearchSettings> settings) {
  if (batches_.size() == max_batches_) throw UsageError(too_many_batches(max_batches_));
  batches_.emplace(++last_ticket_, std::make_unique<SnapshotBatch>(parts_, plans, settings));
  return Ticket{last_ticket_};
}

SnapshotEngine::Batches::iterator SnapshotEngine::find(Ticket ticket) {
  const auto found = batches_.find(static_cast<std::uint64_t>(ticket));
  if (found == batches_.end()) throw UsageError(unknown_ticket(ticket));
  return found;
}

bool SnapshotEngine::poll(Ticket ticket) {
  const auto found = find(ticket);
  try {
    return found->second->poll();
  } catch (...) {
    batches_.erase(found);
    throw;
  }
}

EarlyAnswers SnapshotEngine::early_answers(Ticket ticket) {
  find(ticket);
  return {};
}

BatchAnswers SnapshotEngine::wait(Ticket ticket) {
  const std::unique_ptr<SnapshotBatch> batch = std::move(find(ticket)->second);
  batches_.erase(static_cast<std::uint64_t>(ticket));
  batch->wait();
  const std::shared_ptr<const MergedAnswers> answers = batch->answers();
  std::uint64_t unanswered = 0;
  for (std::size_t i = 0; i < answers->size(); ++i) unanswered += answers->is_answered(i) ? 0 : 1;
  unanswered_queries_ += unanswered;
  queries_ += answers->size() - unanswered;
  return BatchAnswers(answers);
}

GpuStatistics SnapshotEngine::statistics() const {
  GpuStatistics sum;
  for (const SegmentEngine* engine : engines_) warpdex::add(engine->statistics(), sum);
  sum.queries = queries_;
  sum.unanswered_queries = unanswered_queries_;
  return sum;
}

}  // namespace warpdex::gpu
