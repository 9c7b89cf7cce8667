// Gives each batch a lane, and takes the lane back when the batch's answers are released.
#include "warpdex/query/gpu/gpu_engine.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/run/lane.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// A lane and its batch.
struct LaneEntry {
  explicit LaneEntry(const GpuIndex& index, const GpuEngineSettings& settings)
      : lane(index, settings) {}

  gpu::Lane lane;
  std::uint64_t ticket = 0;                           ///< 0: no batch, or its answers were taken
  std::weak_ptr<const BatchAnswers::Source> answers;  ///< the taken answers
  bool is_free() const { return ticket == 0 && answers.expired(); }
};

/// Answers in a lane's memory.
class LaneSource final : public BatchAnswers::Source {
 public:
  explicit LaneSource(const gpu::LaneAnswers& answers) : answers_(answers) {}
  std::size_t size() const override { return answers_.queries; }
  AnswerView answer(std::size_t query) const override { return answers_.view(query); }

 private:
  const gpu::LaneAnswers& answers_;
};

}  // namespace

struct GpuEngine::State {
  State(const GpuIndex& searched, const GpuEngineSettings& wanted)
      : index(searched), settings(wanted) {}

  LaneEntry& find_free();
  LaneEntry& find(Ticket ticket);

  const GpuIndex& index;
  const GpuEngineSettings settings;
  std::vector<std::unique_ptr<LaneEntry>> lanes;  ///< made when first needed
  std::uint64_t last_ticket = 0;
};

LaneEntry& GpuEngine::State::find_free() {
  for (const auto& entry : lanes) {
    if (entry->is_free()) return *entry;
  }
  if (lanes.size() == settings.max_batches) {
    throw UsageError(std::to_string(lanes.size()) +
                     " batches are under way or have answers in use, as many as this engine may "
                     "have; take the answers of one by wait() and release them, or allow more by "
                     "GpuEngineSettings::max_batches");
  }
  return *lanes.emplace_back(std::make_unique<LaneEntry>(index, settings));
}

LaneEntry& GpuEngine::State::find(Ticket ticket) {
  const auto number = static_cast<std::uint64_t>(ticket);
  for (const auto& entry : lanes) {
    if (number != 0 && entry->ticket == number) return *entry;
  }
  throw UsageError("ticket " + std::to_string(number) +
                   " names no batch that is under way; wait() takes each batch's answers once");
}

GpuEngine::GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>(index, settings)) {
  if (settings.max_batches == 0) {
    throw UsageError("an engine with room for 0 batches answers nothing; max_batches is 1 or more");
  }
  state_->lanes.push_back(std::make_unique<LaneEntry>(index, settings));
}
GpuEngine::~GpuEngine() = default;
GpuEngine::GpuEngine(GpuEngine&&) noexcept = default;
GpuEngine& GpuEngine::operator=(GpuEngine&&) noexcept = default;

Ticket GpuEngine::submit(std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) {
  check_settings(settings, plans.size());
  LaneEntry& entry = state_->find_free();
  entry.lane.submit(plans, settings);
  entry.ticket = ++state_->last_ticket;
  return Ticket{entry.ticket};
}

bool GpuEngine::poll(Ticket ticket) {
  LaneEntry& entry = state_->find(ticket);
  try {
    return entry.lane.poll();
  } catch (...) {
    entry.ticket = 0;
    throw;
  }
}

BatchAnswers GpuEngine::wait(Ticket ticket) {
  LaneEntry& entry = state_->find(ticket);
  entry.ticket = 0;
  entry.lane.wait();
  auto source = std::make_shared<const LaneSource>(entry.lane.answers());
  entry.answers = source;
  return BatchAnswers(std::move(source));
}

GpuStatistics GpuEngine::statistics() const {
  GpuStatistics sum;
  for (const auto& entry : state_->lanes) add(entry->lane.statistics(), sum);
  return sum;
}

}  // namespace warpdex
