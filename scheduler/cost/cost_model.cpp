// Features of queries, and models that predict by them.
#include "warpdex/scheduler/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "warpdex/query/plan/plan_bounds.hpp"

namespace warpdex {
namespace {

constexpr double kMinTime = 0.1;
constexpr double kBlockPostings = 128;

double& at(Features& features, Feature feature) {
  return features[static_cast<std::size_t>(feature)];
}

ModelTree leaf(const Features& weights) {
  ModelTree tree;
  tree.nodes.push_back({.weights = weights});
  return tree;
}

/// The GPU's model where it is alone: a launch, and more than its share of a batch.
ModelTree gpu_model(double launch, double of_share, double per_posting) {
  Features weights{};
  at(weights, Feature::kConstant) = launch;
  at(weights, Feature::kTerms) = 0.3 * of_share;
  at(weights, Feature::kSum) = per_posting * of_share;
  at(weights, Feature::kMissingBytes) = 2e-5 * of_share;
  return leaf(weights);
}

ClassModels rough_models(QueryMode mode, bool counts) {
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
  return {.cpu = leaf(cpu),
          .gpu_alone = gpu_model(40, 8, gpu_per_posting),
          .gpu_share = gpu_model(0.5, 1, gpu_per_posting)};
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

Features features_of(const Index& index, const PlannedQuery& plan, const SearchSettings& settings,
                     double missing_share) {
  Features features{};
  at(features, Feature::kConstant) = 1;
  at(features, Feature::kRootOfK) = std::sqrt(settings.k);
  if (plan.terms.empty()) return features;
  const auto length = [&](std::size_t i) {
    return static_cast<double>(plan.terms[i].entry.document_frequency);
  };
  const auto terms = static_cast<double>(plan.terms.size());
  double sum = 0;
  double blocks = 0;
  double bytes = 0;
  for (const PlannedTerm& term : plan.terms) {
    const auto postings = static_cast<double>(term.entry.document_frequency);
    sum += postings;
    blocks += std::ceil(postings / kBlockPostings);
    bytes += static_cast<double>(term.entry.docid_bytes) + term.entry.frequency_bytes;
  }
  const PlanBounds bounds = plan_bounds(index, plan, settings);
  const auto essential = static_cast<double>(bounds.essential_postings);
  at(features, Feature::kTerms) = terms;
  at(features, Feature::kShortest) = length(0);
  at(features, Feature::kSecondShortest) = length(plan.terms.size() > 1 ? 1 : 0);
  at(features, Feature::kSum) = sum;
  at(features, Feature::kProbes) = length(0) * (terms - 1);
  at(features, Feature::kRootOfProbes) = std::sqrt(length(0) * sum);
  at(features, Feature::kEssential) = essential;
  at(features, Feature::kRootOfEssential) = std::sqrt(essential);
  at(features, Feature::kBlocks) = blocks;
  if (bounds.max_score > 0) {
    at(features, Feature::kSeedShare) = static_cast<double>(bounds.seed / bounds.max_score);
  }
  at(features, Feature::kKTerms) = settings.k * terms;
  at(features, Feature::kMissingBytes) = bytes * missing_share;
  return features;
}

double ModelTree::predict(const Features& features) const {
  const Node* node = &nodes.front();
  while (node->feature >= 0) {
    const bool is_above = features[static_cast<std::size_t>(node->feature)] > node->value;
    node = &nodes[is_above ? node->right : node->left];
  }
  double time = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) time += node->weights[i] * features[i];
  return std::max(kMinTime, time);
}

CostModel::CostModel() {
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    classes_[i] = rough_models(static_cast<QueryMode>(i / 2), i % 2 == 1);
  }
}

JobCost CostModel::predict(std::size_t query_class, const Features& features) const {
  const ClassModels& models = classes_[query_class];
  JobCost cost;
  cost.cpu = static_cast<float>(models.cpu.predict(features));
  cost.gpu_share = static_cast<float>(models.gpu_share.predict(features));
  cost.gpu_alone = std::max(cost.gpu_share, static_cast<float>(models.gpu_alone.predict(features)));
  return cost;
}

}  // namespace warpdex
