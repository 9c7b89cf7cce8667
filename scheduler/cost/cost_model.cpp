// Models that predict costs by features of queries.
#include "warpdex/scheduler/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "cost/feature_value.hpp"

namespace warpdex {
namespace {

constexpr double kMinTime = 0.1;
constexpr float kTimeOfNothing = 0.5F;

/// The sum of the weighted values. In four parts, which do not wait for each other.
double weighted_sum(const Features& weights, const Features& values) {
  static_assert(kFeatures % 4 == 0);
  std::array<double, 4> parts{};
  for (std::size_t i = 0; i < kFeatures; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) parts[j] += weights[i + j] * values[i + j];
  }
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

ModelTree leaf(const Features& weights) {
  ModelTree tree;
  tree.nodes.push_back({.weights = weights});
  return tree;
}

/// The GPU's model of a query: the cost of a launch, and `of_share` times the rough share of a
/// batch.
ModelTree gpu_model(double launch, double of_share, double per_posting) {
  Features weights{};
  at(weights, Feature::kConstant) = launch;
  at(weights, Feature::kTerms) = 0.3 * of_share;
  at(weights, Feature::kSum) = per_posting * of_share;
  at(weights, Feature::kMissingBytes) = 2e-5 * of_share;
  return leaf(weights);
}

ClassModels rough_models(QueryMode mode, bool counts, double speed) {
  Features cpu{};
  at(cpu, Feature::kConstant) = 3;
  at(cpu, Feature::kTerms) = 1;
  at(cpu, Feature::kRootOfK) = 0.5;
  double gpu_per_posting = 5e-7;
  if (mode == QueryMode::kAnd) {
    at(cpu, Feature::kProbes) = 1e-3;
    at(cpu, Feature::kRootOfProbes) = 1e-3;
  } else {
    at(cpu, Feature::kEssential) = 4e-4;
    at(cpu, Feature::kRootOfEssential) = 0.03;
  }
  if (counts && mode != QueryMode::kAnd) {
    at(cpu, Feature::kSum) = 1.5e-3;
    gpu_per_posting = 3e-6;
  }
  gpu_per_posting /= speed;
  return {.cpu = leaf(cpu),
          .gpu_alone = gpu_model(40, 8, gpu_per_posting),
          .gpu_share = gpu_model(0.5 / speed, 1, gpu_per_posting),
          .gpu_base = 40};
}

}  // namespace

std::size_t query_class(const SearchSettings& settings) {
  return 2 * static_cast<std::size_t>(settings.mode) + (settings.count ? 1 : 0);
}

std::string_view query_class_name(std::size_t query_class) {
  static constexpr std::array<std::string_view, kQueryClasses> kNames{
      "and", "and+count", "or", "or+count", "and-or", "and-or+count"};
  return kNames.at(query_class);
}

std::string_view cost_origin_name(CostOrigin origin) {
  static constexpr std::array<std::string_view, 3> kNames{"rough", "calibrated", "older"};
  return kNames.at(static_cast<std::size_t>(origin));
}

double ModelTree::predict(const Features& features, const Features& logs) const {
  const Node* node = &nodes.front();
  while (node->feature >= 0) {
    const bool is_above = features[static_cast<std::size_t>(node->feature)] > node->value;
    node = &nodes[is_above ? node->right : node->left];
  }
  double sum = weighted_sum(node->weights, node->is_product ? logs : features);
  if (node->is_product) sum = std::clamp(std::exp(sum), node->low, node->high);
  return std::max(kMinTime, sum);
}

CostModel::CostModel(double speed) {
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    classes_[i] = rough_models(static_cast<QueryMode>(i / 2), i % 2 == 1, speed);
  }
}

double gpu_speed(const DeviceInfo& gpu) {
  constexpr double kMultiprocessorsOfH100 = 132;
  return std::max(1, gpu.multiprocessors) / kMultiprocessorsOfH100;
}

JobCost CostModel::predict(std::size_t query_class, const Features& features) const {
  const ClassModels& models = classes_[query_class];
  JobCost cost;
  cost.gpu_base = static_cast<float>(models.gpu_base);
  if (features[static_cast<std::size_t>(Feature::kTerms)] == 0) {
    cost.cpu = cost.gpu_share = kTimeOfNothing;
    cost.gpu_alone = kTimeOfNothing + cost.gpu_base;
    return cost;
  }
  const Features logs = logs_of(features);
  cost.cpu = static_cast<float>(models.cpu.predict(features, logs));
  cost.gpu_share = static_cast<float>(models.gpu_share.predict(features, logs));
  const double alone = models.gpu_alone.predict(features, logs);
  cost.gpu_alone = std::max(cost.gpu_share, static_cast<float>(alone * models.gpu_idle));
  cost.idle_share = static_cast<float>(models.cpu_idle);
  return cost;
}

}  // namespace warpdex
