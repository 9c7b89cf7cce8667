// Gives batches lanes.
#include "gpu/run/segment_engine.hpp"

#include <utility>

#include "warpdex/core/cuda/stream_priority.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {

std::string too_many_batches(std::size_t max_batches) {
  return std::to_string(max_batches) +
         " batches are under way or have answers in use, as many as this engine may have; take the "
         "answers of one by wait() and release them, or allow more by "
         "GpuEngineSettings::max_batches";
}

std::string unknown_ticket(Ticket ticket) {
  return "ticket " + std::to_string(static_cast<std::uint64_t>(ticket)) +
         " names no batch that is under way; wait() takes each batch's answers once";
}

SegmentEngine::SegmentEngine(const GpuIndex::State& index, const Removals& removed,
                             const GpuEngineSettings& settings)
    : index_(index),
      alone_(&index),
      removed_(removed),
      settings_(settings),
      slices_(std::make_shared<BatchBuilder::Slices>()) {
  add_lane();
}

SegmentEngine::SegmentEngine(const SearchedIndex& joined, const GpuEngineSettings& settings,
                             std::size_t max_row_bytes)
    : index_(joined),
      settings_(settings),
      rows_(std::in_place, joined),
      slices_(std::make_shared<BatchBuilder::Slices>(rows_->memory(), max_row_bytes)) {
  add_lane();
}

void SegmentEngine::add_lane() {
  const StreamPriorityScope priority(settings_.is_background ? StreamPriority::kUsual
                                                             : StreamPriority::kFirst);
  lanes_.push_back(alone_ != nullptr
                       ? std::make_unique<LaneEntry>(*alone_, removed_, settings_, slices_)
                       : std::make_unique<LaneEntry>(index_, settings_, slices_, *rows_));
}

SegmentEngine::LaneEntry& SegmentEngine::find_free() {
  for (const auto& entry : lanes_) {
    if (entry->is_free()) return *entry;
  }
  if (lanes_.size() == settings_.max_batches) throw UsageError(too_many_batches(lanes_.size()));
  add_lane();
  return *lanes_.back();
}

SegmentEngine::LaneEntry& SegmentEngine::find(Ticket ticket) {
  const auto number = static_cast<std::uint64_t>(ticket);
  for (const auto& entry : lanes_) {
    if (number != 0 && entry->ticket == number) return *entry;
  }
  throw UsageError(unknown_ticket(ticket));
}

Ticket SegmentEngine::submit(SegmentPlans plans, std::span<const SearchSettings> settings) {
  LaneEntry& entry = find_free();
  entry.lane.submit(plans, settings);
  entry.ticket = ++last_ticket_;
  return Ticket{entry.ticket};
}

Ticket SegmentEngine::submit(SegmentPlans plans, std::span<const SearchSettings> settings,
                             std::span<const std::uint32_t> slots) {
  LaneEntry& entry = find_free();
  entry.lane.submit(plans, settings, slots);
  entry.ticket = ++last_ticket_;
  return Ticket{entry.ticket};
}

bool SegmentEngine::poll(Ticket ticket) {
  LaneEntry& entry = find(ticket);
  try {
    return entry.lane.poll();
  } catch (...) {
    entry.ticket = 0;
    throw;
  }
}

EarlyAnswers SegmentEngine::early_answers(Ticket ticket) {
  const LaneEntry& entry = find(ticket);
  return {entry.lane.early_answers(), &entry.source};
}

BatchAnswers SegmentEngine::wait(Ticket ticket) {
  LaneEntry& entry = find(ticket);
  entry.ticket = 0;
  entry.lane.wait();
  auto source = std::make_shared<const LaneSource>(entry.lane.answers());
  entry.answers = source;
  return BatchAnswers(std::move(source));
}

GpuStatistics SegmentEngine::statistics() const {
  GpuStatistics sum;
  for (const auto& entry : lanes_) add(entry->lane.statistics(), sum);
  return sum;
}

}  // namespace warpdex::gpu
