// Fits models of costs to measured times: linear ones by least squares of the relative error, and
// model trees (M5) of products of powers. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/scheduler/cost_model.hpp"

namespace warpdex {

/// A measured time, of one query or of a batch, whose features are then sums.
struct Sample {
  Features features{};
  double time = 0;          ///< microseconds, above 0
  std::uint32_t group = 0;  ///< samples of one group are left out together when cross-validating
};

/// Weights with the smallest sum of squared relative errors. None but that of the seeds' share is
/// negative, so that more work never costs less. O(samples). `base`: adds a constant for each
/// sample, whatever its features, and returns it there.
Features fit_weights(std::span<const Sample> samples, double* base = nullptr);

/// A linear model.
ModelTree fit_linear(std::span<const Sample> samples);

/// A leaf that is a product: least squares of the logarithm of time, with a ridge, times the factor
/// that makes the sum of relative errors smallest; not below the shortest time, nor far
/// above the longest. There must be a sample. O(samples * features^2).
ModelTree::Node fit_product(std::span<const Sample> samples);

/// A tree whose inner nodes part samples so that the spread of the logarithm of time falls most,
/// and whose leaves are products. O(samples * features * (features + log samples) * depth).
ModelTree fit_tree(std::span<const Sample> samples);

/// |predicted - true| / true.
struct RelativeError {
  double mean = 0;
  double p95 = 0;
  std::size_t samples = 0;
};

enum class ModelKind : std::uint8_t { kLinear, kTree };

/// Errors of models that were fitted without the groups that they are judged by: a fifth of all
/// groups at a time.
RelativeError cross_validate(std::span<const Sample> samples, ModelKind kind);
/// The same of fit_weights() with a base.
RelativeError cross_validate_batches(std::span<const Sample> samples);

}  // namespace warpdex
