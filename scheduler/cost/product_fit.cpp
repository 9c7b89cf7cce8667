// Fits a product of powers of features. It is linear in logarithms, so it suits times that spread
// over powers of ten.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "cost/model_fit.hpp"

namespace warpdex {
namespace {

constexpr auto kCount = static_cast<Eigen::Index>(kFeatures);
/// The weight of the ridge, for columns of mean 0 and spread 1.
constexpr double kProductRidge = 0.01;
constexpr double kMinSpread = 1e-6;
/// Predictions exceed the longest time that was measured by this factor at most.
constexpr double kBeyond = 4;
/// Features that are left out, since their logarithms nearly follow from others. More columns than
/// needed make the fit worse.
constexpr Feature kDerived[] = {Feature::kRootOfProbes, Feature::kRootOfEssential, Feature::kBlocks,
                                Feature::kRootOfK, Feature::kKTerms};

bool is_derived(Eigen::Index column) {
  return std::any_of(std::begin(kDerived), std::end(kDerived),
                     [&](Feature feature) { return static_cast<Eigen::Index>(feature) == column; });
}

/// The logarithms of features, one row for each sample. Column 0 is the constant's.
Eigen::MatrixXd rows_of(std::span<const Sample> samples) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(samples.size()), kCount);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Features logs = logs_of(samples[i].features);
    for (Eigen::Index j = 0; j < kCount; ++j) {
      rows(static_cast<Eigen::Index>(i), j) = logs[static_cast<std::size_t>(j)];
    }
  }
  return rows;
}

/// Least squares with a ridge on all weights except the constant's. Columns that are derived or do
/// not vary get the weight 0.
Eigen::VectorXd solve(const Eigen::MatrixXd& rows, const Eigen::VectorXd& targets) {
  const auto count = static_cast<double>(rows.rows());
  const Eigen::RowVectorXd means = rows.colwise().mean();
  Eigen::MatrixXd centred = rows.rowwise() - means;
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(kCount);
  for (Eigen::Index j = 1; j < kCount; ++j) {
    const double spread = std::sqrt(centred.col(j).squaredNorm() / count);
    if (spread > kMinSpread && !is_derived(j)) scales[j] = 1 / spread;
    centred.col(j) *= scales[j];
  }
  centred.col(0).setZero();
  const double mean = targets.mean();
  Eigen::MatrixXd products = centred.transpose() * centred;
  products.diagonal().array() += kProductRidge * count;
  const Eigen::VectorXd shifted = targets.array() - mean;
  Eigen::VectorXd weights = products.ldlt().solve(centred.transpose() * shifted);
  weights = weights.cwiseProduct(scales);
  weights[0] = mean - means.dot(weights);
  return weights;
}

/// The factor c with the smallest sum of |c p - t| / t: a weighted median of t / p.
double best_factor(std::vector<std::pair<double, double>> ratios_and_weights) {
  std::sort(ratios_and_weights.begin(), ratios_and_weights.end());
  double all = 0;
  for (const auto& [ratio, weight] : ratios_and_weights) all += weight;
  double below = 0;
  for (const auto& [ratio, weight] : ratios_and_weights) {
    below += weight;
    if (2 * below >= all) return ratio;
  }
  return 1;
}

}  // namespace

ModelTree::Node fit_product(std::span<const Sample> samples) {
  const Eigen::MatrixXd rows = rows_of(samples);
  Eigen::VectorXd targets(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    targets[i] = std::log(samples[static_cast<std::size_t>(i)].time);
  }
  const Eigen::VectorXd weights = solve(rows, targets);
  const double low = targets.minCoeff();
  const double high = targets.maxCoeff();
  const Eigen::VectorXd predicted = (rows * weights).cwiseMax(low).cwiseMin(high);
  std::vector<std::pair<double, double>> ratios_and_weights;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double ratio = std::exp(targets[i] - predicted[i]);
    ratios_and_weights.emplace_back(ratio, 1 / ratio);
  }
  const double factor = best_factor(std::move(ratios_and_weights));
  ModelTree::Node node;
  node.is_product = true;
  for (std::size_t j = 0; j < kFeatures; ++j)
    node.weights[j] = weights[static_cast<Eigen::Index>(j)];
  node.weights[0] += std::log(factor);
  node.low = std::exp(low) * factor;
  node.high = std::exp(high) * factor * kBeyond;
  return node;
}

}  // namespace warpdex
