// Turns measurements into samples, class by class, and fits them.
#include "warpdex/scheduler/calibration.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cost/model_fit.hpp"

namespace warpdex {
namespace {

/// The samples of one class of queries.
struct ClassSamples {
  std::vector<Sample> cpu;
  std::vector<Sample> gpu_alone;
  std::map<std::size_t, std::vector<Sample>> batches;  ///< by size
  // Ratios of times on an idle machine to the others.
  std::vector<double> cpu_idle;
  std::vector<double> gpu_idle;
};

/// If the ratio is larger, something held up the machine. Predictions that are too long keep
/// queries away from a processor; if they keep a whole class away, no run corrects them. Those that
/// are too short are corrected within a few runs.
constexpr double kMaxIdle = 1.5;

/// The median, kMaxIdle at most; 1 if there are no ratios.
double usual(std::vector<double> ratios) {
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return std::min(*middle, kMaxIdle);
}

PredictionError named(std::size_t query_class, std::string what, std::string model,
                      const RelativeError& error) {
  return {std::string(query_class_name(query_class)),
          std::move(what),
          std::move(model),
          error.samples,
          error.mean,
          error.p95};
}

/// Fits the model of single queries, and appends the errors of both kinds of model.
void fit_single(std::size_t query_class, const char* what, std::span<const Sample> samples,
                ModelTree& tree, std::vector<PredictionError>& errors) {
  if (samples.size() < kMinCalibrationSamples) return;
  const RelativeError of_tree = cross_validate(samples, ModelKind::kTree);
  const RelativeError of_linear = cross_validate(samples, ModelKind::kLinear);
  errors.push_back(named(query_class, what, "tree", of_tree));
  errors.push_back(named(query_class, what, "linear", of_linear));
  tree = of_tree.mean < of_linear.mean ? fit_tree(samples) : fit_linear(samples);
}

void fit_batches(std::size_t query_class, const ClassSamples& samples, ClassModels& models,
                 std::vector<PredictionError>& errors) {
  std::vector<Sample> all;
  for (const auto& [size, batches] : samples.batches) {
    errors.push_back(named(query_class, "gpu batches of " + std::to_string(size), "linear",
                           cross_validate_batches(batches)));
    all.insert(all.end(), batches.begin(), batches.end());
  }
  if (all.size() < kMinCalibrationSamples) return;
  models.gpu_share.nodes.assign(1, {.weights = fit_weights(all, &models.gpu_base)});
}

}  // namespace

Calibration calibrate(const Snapshot& snapshot, std::span<const PlannedSearch> queries,
                      const CostMeasurements& measurements, const HasList& has_list) {
  std::vector<Features> features;
  features.reserve(queries.size());
  for (const PlannedSearch& query : queries) {
    features.push_back(features_of(snapshot, query.plan, query.settings, has_list));
  }
  std::array<ClassSamples, kQueryClasses> classes;
  for (std::uint32_t i = 0; i < queries.size(); ++i) {
    ClassSamples& samples = classes[query_class(queries[i].settings)];
    const MeasuredCost& cost = measurements.queries[i];
    if (features[i][static_cast<std::size_t>(Feature::kTerms)] == 0) continue;  // nothing to do
    if (cost.cpu > 0) samples.cpu.push_back({features[i], static_cast<double>(cost.cpu), i});
    if (cost.cpu > 0 && cost.cpu_idle > 0) {
      samples.cpu_idle.push_back(static_cast<double>(cost.cpu_idle / cost.cpu));
    }
    if (cost.gpu_alone > 0 && cost.gpu_idle > 0) {
      samples.gpu_idle.push_back(static_cast<double>(cost.gpu_idle / cost.gpu_alone));
    }
    if (cost.gpu_alone > 0) {
      samples.gpu_alone.push_back({features[i], static_cast<double>(cost.gpu_alone), i});
    }
  }
  std::uint32_t number = 0;
  for (const MeasuredBatch& batch : measurements.batches) {
    if (batch.queries.empty() || !(batch.time > 0)) continue;
    Sample sample{.time = batch.time, .group = number++};
    for (const std::uint32_t query : batch.queries) {
      for (std::size_t i = 0; i < kFeatures; ++i) sample.features[i] += features[query][i];
    }
    classes[query_class(queries[batch.queries[0]].settings)]
        .batches[batch.queries.size()]
        .push_back(sample);
  }
  Calibration calibration;
  calibration.model.set_origin(CostOrigin::kCalibrated);
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    ClassModels& models = calibration.model.models(i);
    fit_single(i, "cpu", classes[i].cpu, models.cpu, calibration.errors);
    fit_single(i, "gpu alone", classes[i].gpu_alone, models.gpu_alone, calibration.errors);
    fit_batches(i, classes[i], models, calibration.errors);
    models.cpu_idle = usual(std::move(classes[i].cpu_idle));
    models.gpu_idle = usual(std::move(classes[i].gpu_idle));
  }
  return calibration;
}

}  // namespace warpdex
