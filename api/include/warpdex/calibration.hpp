// Measures what queries cost on this machine, so that the scheduler predicts well.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/gpu.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/scheduler/prediction_error.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

struct CalibrationOptions {
  std::size_t threads = 0;      ///< of the CPU; 0: as many as this process may run on
  std::size_t repetitions = 3;  ///< timed runs of each query, of which the median counts
  /// What is being measured, and how much of it was. Called some times a second; what it throws
  /// ends the measurement, which throws it.
  std::function<void(const char* what, std::size_t done, std::size_t all)> on_progress{};
};

/// One commit of an index, for measuring.
class Calibrator {
 public:
  /// Opens the last commit; with a GPU, uploads it. Throws as Searcher's constructor does.
  explicit Calibrator(const std::filesystem::path& folder, const std::optional<Gpu>& gpu = {});
  ~Calibrator();
  Calibrator(Calibrator&&) noexcept;
  Calibrator& operator=(Calibrator&&) noexcept;

  /// Measures each query by each of `kinds`, of which k, mode, and_or_min, count and scorer are
  /// read. Fits models to that and stores them beside the index, where searchers on kAuto find
  /// them. Returns how far predictions are off for queries that the models were not fitted to.
  /// Throws UsageError for fewer than kMinCalibrationSamples queries with a term of the index, and
  /// IoError. Seconds to minutes.
  std::vector<PredictionError> run(std::span<const Query> queries,
                                   std::span<const SearchOptions> kinds,
                                   const CalibrationOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
