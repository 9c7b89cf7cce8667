// How well the costs of queries are predicted.
#pragma once

#include <cstddef>
#include <string>

namespace warpdex {

/// The fewest samples, queries or batches of one class with any k, that a model is fitted to.
inline constexpr std::size_t kMinCalibrationSamples = 20;

/// How far predictions are off, for queries that the models were not fitted to.
struct PredictionError {
  std::string query_class;  ///< as query_class_name()
  std::string what;         ///< "cpu", "gpu alone", or "gpu batches of 64" and the like
  std::string model;        ///< "linear" or "tree"
  std::size_t samples = 0;
  double mean = 0;  ///< relative error
  double p95 = 0;
};

}  // namespace warpdex
