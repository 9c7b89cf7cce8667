// Fits models of costs to measured times: linear ones by least squares of the relative error, and
// model trees (M5) of products of powers. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/scheduler/cost_model.hpp"

namespace warpdex {

/// The measured time of one query or of a batch. The features of a batch are sums over its queries.
struct Sample {
  Features features{};
  double time = 0;          ///< microseconds, above 0
  std::uint32_t group = 0;  ///< samples of one group are left out together when cross-validating
};

/// The weights with the smallest sum of squared relative errors. Only the weight of kSeedShare may
/// be negative, so that more work never costs less. If `base` is given, a constant that is the same
/// for all samples is fitted too, and returned there. O(samples).
Features fit_weights(std::span<const Sample> samples, double* base = nullptr);

/// A linear model.
ModelTree fit_linear(std::span<const Sample> samples);

/// A leaf that is a product. It is fitted by least squares of the logarithm of time, with a ridge,
/// then multiplied by the factor that makes the sum of relative errors smallest. Its predictions
/// are bounded by about the shortest time and a few times the longest. Needs a sample or more.
/// O(samples * features^2).
ModelTree::Node fit_product(std::span<const Sample> samples);

/// A tree whose leaves are products. Each inner node splits the samples so that the spread of the
/// logarithm of time falls most. O(samples * features * (features + log samples) * depth).
ModelTree fit_tree(std::span<const Sample> samples);

/// |predicted - true| / true.
struct RelativeError {
  double mean = 0;
  double p95 = 0;
  std::size_t samples = 0;
};

enum class ModelKind : std::uint8_t { kLinear, kTree };

/// The error by 5-fold cross-validation: each fifth of the groups is predicted by a model that was
/// fitted to the others.
RelativeError cross_validate(std::span<const Sample> samples, ModelKind kind);
/// The same for fit_weights() with a base.
RelativeError cross_validate_batches(std::span<const Sample> samples);

}  // namespace warpdex
