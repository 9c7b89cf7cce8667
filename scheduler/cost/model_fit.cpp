// Fits linear models by least squares (normal equations, with scaled columns and a small ridge),
// and trees of products.
#include "cost/model_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace warpdex {
namespace {

constexpr std::size_t kColumns = kSummableFeatures + 1;  // the last is the base
constexpr auto kSigned = static_cast<std::size_t>(Feature::kSeedShare);
constexpr double kRidge = 1e-6;
constexpr std::size_t kMinLeaf = 40;
constexpr std::size_t kMaxDepth = 5;
constexpr std::size_t kCuts = 16;  ///< values of a feature that are tried
constexpr std::uint32_t kFolds = 5;

using Matrix = Eigen::Matrix<double, kColumns, kColumns>;
using Vector = Eigen::Matrix<double, kColumns, 1>;

/// The normal equations of all samples. Each sample is divided by its time, so that errors are
/// relative.
struct Equations {
  Matrix products = Matrix::Zero();
  Vector targets = Vector::Zero();
};

Equations equations_of(std::span<const Sample> samples, bool has_base) {
  Equations equations;
  for (const Sample& sample : samples) {
    Vector row;
    for (std::size_t i = 0; i < kSummableFeatures; ++i) {
      row[static_cast<Eigen::Index>(i)] = sample.features[i] / sample.time;
    }
    row[kSummableFeatures] = has_base ? 1 / sample.time : 0;
    equations.products += row * row.transpose();
    equations.targets += row;
  }
  return equations;
}

/// Solves for the columns that are in use; the others get 0.
Vector solve(const Equations& equations, const std::vector<Eigen::Index>& used) {
  const auto count = static_cast<Eigen::Index>(used.size());
  Eigen::MatrixXd products(count, count);
  Eigen::VectorXd targets(count);
  Eigen::VectorXd sizes(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    sizes[i] = std::sqrt(std::max(1e-300, equations.products(used[i], used[i])));
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    targets[i] = equations.targets[used[i]] / sizes[i];
    for (Eigen::Index j = 0; j < count; ++j) {
      products(i, j) = equations.products(used[i], used[j]) / (sizes[i] * sizes[j]);
    }
    products(i, i) += kRidge;
  }
  const Eigen::VectorXd solution = products.ldlt().solve(targets);
  Vector weights = Vector::Zero();
  for (Eigen::Index i = 0; i < count; ++i) weights[used[i]] = solution[i] / sizes[i];
  return weights;
}

/// Solves again without the column whose share is the most negative, until no share is negative.
Vector solve_without_negatives(const Equations& equations) {
  std::vector<Eigen::Index> used;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kColumns); ++i) {
    if (equations.products(i, i) > 0) used.push_back(i);
  }
  for (;;) {
    const Vector weights = solve(equations, used);
    auto worst = used.end();
    double lowest = 0;
    for (auto column = used.begin(); column != used.end(); ++column) {
      if (*column == static_cast<Eigen::Index>(kSigned)) continue;
      const double share = weights[*column] * std::sqrt(equations.products(*column, *column));
      if (share < lowest) {
        lowest = share;
        worst = column;
      }
    }
    if (worst == used.end()) return weights;
    used.erase(worst);
  }
}

double error_of(const ModelTree& model, const Sample& sample) {
  return std::abs(model.predict(sample.features) - sample.time) / sample.time;
}

/// Spread of the logarithm of time, times the number of samples.
double spread(std::span<const Sample> samples) {
  double sum = 0;
  double squares = 0;
  for (const Sample& sample : samples) {
    const double value = std::log(sample.time);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(samples.size());
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count))) * count;
}

struct Split {
  std::size_t feature = 0;
  double value = 0;
  double spread = std::numeric_limits<double>::infinity();
};

/// Sorts the samples by a feature and tries a few values between them.
void try_feature(std::span<Sample> samples, std::size_t feature, Split& best) {
  const auto value = [&](std::size_t i) { return samples[i].features[feature]; };
  std::sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) {
    return a.features[feature] < b.features[feature];
  });
  for (std::size_t cut = 1; cut < kCuts; ++cut) {
    std::size_t place = samples.size() * cut / kCuts;
    while (place < samples.size() && place > 0 && value(place) == value(place - 1)) ++place;
    if (place < kMinLeaf || samples.size() - place < kMinLeaf) continue;
    const double both = spread(samples.first(place)) + spread(samples.subspan(place));
    if (both < best.spread) best = {feature, value(place - 1), both};
  }
}

/// Appends the tree of these samples to `nodes`.
void grow(std::span<Sample> samples, std::size_t depth, std::vector<ModelTree::Node>& nodes) {
  const std::size_t root = nodes.size();
  nodes.emplace_back();
  Split split;
  if (depth < kMaxDepth && samples.size() >= 2 * kMinLeaf) {
    for (std::size_t feature = 1; feature < kFeatures; ++feature) {
      try_feature(samples, feature, split);
    }
  }
  if (!(split.spread < spread(samples))) {
    nodes[root] = fit_product(samples);
    return;
  }
  const auto middle = std::partition(samples.begin(), samples.end(), [&](const Sample& sample) {
    return !(sample.features[split.feature] > split.value);
  });
  const auto left = static_cast<std::size_t>(middle - samples.begin());
  const auto left_node = static_cast<std::uint32_t>(nodes.size());
  grow(samples.first(left), depth + 1, nodes);
  const auto right_node = static_cast<std::uint32_t>(nodes.size());
  grow(samples.subspan(left), depth + 1, nodes);
  nodes[root] = {static_cast<std::int32_t>(split.feature), split.value, left_node, right_node};
}

/// Calls judge(rest, part) for each fold: `part` has the samples in it, `rest` the others.
void for_each_fold(
    std::span<const Sample> samples,
    const std::function<void(std::span<const Sample>, std::span<const Sample>)>& judge) {
  for (std::uint32_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Sample> rest;
    std::vector<Sample> part;
    for (const Sample& sample : samples) {
      (sample.group % kFolds == fold ? part : rest).push_back(sample);
    }
    if (!rest.empty() && !part.empty()) judge(rest, part);
  }
}

RelativeError summarise(std::vector<double> errors) {
  RelativeError error;
  error.samples = errors.size();
  if (errors.empty()) return error;
  std::sort(errors.begin(), errors.end());
  for (const double one : errors) error.mean += one;
  error.mean /= static_cast<double>(errors.size());
  error.p95 = errors[std::min(errors.size() - 1, errors.size() * 95 / 100)];
  return error;
}

}  // namespace

Features fit_weights(std::span<const Sample> samples, double* base) {
  const Vector solution = solve_without_negatives(equations_of(samples, base != nullptr));
  Features weights{};
  for (std::size_t i = 0; i < kSummableFeatures; ++i)
    weights[i] = solution[static_cast<Eigen::Index>(i)];
  if (base != nullptr) *base = solution[kSummableFeatures];
  return weights;
}

ModelTree fit_linear(std::span<const Sample> samples) {
  ModelTree tree;
  if (!samples.empty()) tree.nodes.push_back({.weights = fit_weights(samples)});
  return tree;
}

ModelTree fit_tree(std::span<const Sample> samples) {
  ModelTree tree;
  std::vector<Sample> sorted(samples.begin(), samples.end());
  if (!samples.empty()) grow(sorted, 0, tree.nodes);
  return tree;
}

RelativeError cross_validate(std::span<const Sample> samples, ModelKind kind) {
  std::vector<double> errors;
  for_each_fold(samples, [&](std::span<const Sample> rest, std::span<const Sample> part) {
    const ModelTree model = kind == ModelKind::kTree ? fit_tree(rest) : fit_linear(rest);
    for (const Sample& sample : part) errors.push_back(error_of(model, sample));
  });
  return summarise(std::move(errors));
}

RelativeError cross_validate_batches(std::span<const Sample> samples) {
  std::vector<double> errors;
  for_each_fold(samples, [&](std::span<const Sample> rest, std::span<const Sample> part) {
    double base = 0;
    const Features weights = fit_weights(rest, &base);
    for (const Sample& sample : part) {
      double time = base;
      for (std::size_t i = 0; i < kFeatures; ++i) time += weights[i] * sample.features[i];
      errors.push_back(std::abs(time - sample.time) / sample.time);
    }
  });
  return summarise(std::move(errors));
}

}  // namespace warpdex
