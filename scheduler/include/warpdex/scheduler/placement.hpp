// Settings of how the scheduler places jobs on processors and closes batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpdex {

/// Which processors jobs may go to.
enum class Placement : std::uint8_t {
  kBoth,        ///< CPU and GPU together, by load
  kCpuOnly,     ///< the CPU
  kGpuOnly,     ///< the GPU, but for what it cannot answer
  kBetterAlone  ///< each job on the one that is faster for it alone, whatever the load
};

/// How jobs are placed. Times are in microseconds.
struct PlacementSettings {
  Placement placement = Placement::kBoth;
  /// Shares of clients: a client with twice the weight gets twice the work done while both wait.
  /// One or more, each above 0.
  std::vector<double> client_weights{1};
  std::size_t batch_jobs = 1000;  ///< a batch has so many jobs at most
  float batch_max_work = 10'000;  ///< and is closed before it is predicted to take longer
  /// The next batch starts at once while those under way are predicted to take less than this.
  float beside_work = 300;
  /// Else it starts once it is predicted to take so long,
  float batch_min_work = 500;
  float batch_wait = 300;   ///< or once its oldest job has waited so long
  std::size_t batches = 3;  ///< under way on the GPU at a time, beside one of a huge job
  float huge_work = 500;    ///< a job that is predicted to take longer on the GPU goes alone
  /// Deadlines within one slot of this length are equal: the shorter job goes first. A job without
  /// a deadline counts as one of a second.
  double deadline_slot = 10'000;

  /// Throws UsageError for values that are not above 0.
  void validate() const;
};

}  // namespace warpdex
