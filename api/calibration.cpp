#include "warpdex/calibration.hpp"

#include <string>
#include <utility>

#include "search_settings.hpp"
#include "usable_gpu.hpp"
#include "warpdex/core/storage/pending_file.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/scheduler/calibration.hpp"

namespace warpdex {
namespace {

std::vector<PlannedSearch> planned(const Snapshot& snapshot, std::span<const Query> queries,
                                   std::span<const SearchOptions> kinds) {
  const bool are_several = text_count(snapshot.settings().schema) > 1;
  std::vector<PlannedSearch> planned;
  for (const SearchOptions& kind : kinds) {
    const SearchSettings settings = search_settings(kind, are_several);
    settings.validate();
    for (const Query& query : queries) planned.push_back({plan_query(snapshot, query), settings});
  }
  return planned;
}

}  // namespace

struct Calibrator::State {
  Snapshot snapshot;
  std::optional<Gpu> gpu{};
  std::optional<GpuSnapshot> uploaded{};
};

Calibrator::Calibrator(const std::filesystem::path& folder, const std::optional<Gpu>& gpu)
    : state_(std::make_unique<State>(State{Snapshot::open(folder)})) {
  if (!gpu) return;
  state_->gpu = usable_gpu(gpu);
  state_->uploaded.emplace(state_->snapshot, state_->gpu->resources());
}

Calibrator::~Calibrator() = default;
Calibrator::Calibrator(Calibrator&&) noexcept = default;
Calibrator& Calibrator::operator=(Calibrator&&) noexcept = default;

std::vector<PredictionError> Calibrator::run(std::span<const Query> queries,
                                             std::span<const SearchOptions> kinds,
                                             const CalibrationOptions& options) {
  const Snapshot& snapshot = state_->snapshot;
  const std::vector<PlannedSearch> searches = planned(snapshot, queries, kinds);
  std::optional<GpuEngine> engine;
  HasList has_list;
  if (state_->uploaded) {
    const GpuSnapshot& uploaded = *state_->uploaded;
    engine.emplace(uploaded);
    if (!uploaded.is_resident()) {
      has_list = [&uploaded](std::size_t segment, const PostingsEntry& list) {
        return uploaded.has_list(segment, list);
      };
    }
  }
  MeasureSettings settings;
  settings.cpu_threads = options.threads;
  settings.repetitions = options.repetitions;
  const CostMeasurements measured =
      measure_costs(snapshot, engine ? &*engine : nullptr, searches, settings, options.on_progress);
  Calibration calibration = calibrate(snapshot, searches, measured, has_list);
  if (calibration.errors.empty()) {
    throw UsageError("there are too few queries to fit costs to; give at least " +
                     std::to_string(kMinCalibrationSamples) + " that have a term of the index");
  }
  const std::string costs = cost_model_to_json(calibration.model, snapshot);
  PendingFile file(cost_file_of(snapshot.folder()));
  file.append(costs.data(), costs.size());
  file.commit();
  return std::move(calibration.errors);
}

}  // namespace warpdex
