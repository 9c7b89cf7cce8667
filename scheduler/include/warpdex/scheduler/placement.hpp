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
  kGpuOnly,     ///< the GPU, except jobs that it cannot answer
  kBetterAlone  ///< each job on the processor that is faster for it alone, whatever the load
};

/// How jobs are placed. Times are in microseconds.
struct PlacementSettings {
  Placement placement = Placement::kBoth;
  /// Shares of clients: a client with twice the weight gets twice the work done while both wait.
  /// One or more, each above 0.
  std::vector<double> client_weights{1};
  std::size_t batch_jobs = 1000;  ///< the most jobs of a batch
  float batch_max_work = 10'000;  ///< the longest predicted time of a batch of several jobs
  /// While the batches under way are predicted to take less than this, the next one starts at once.
  float beside_work = 300;
  /// Otherwise it starts when it is full, when it is predicted to take at least this long (which
  /// also counts as the time of a usual batch where a run on the CPU may become long),
  float batch_min_work = 1'000;
  /// or when its oldest job has waited this part of the predicted time of those under way, or this
  /// long, whichever is less. So where batches are short, the next one starts soon. Where they are
  /// long, it waits, since batches that overlap slow each other down, but never for long.
  float batch_wait_part = 0.3F;
  float batch_wait = 600;
  std::size_t batches = 4;  ///< under way on the GPU at a time, beside one of a huge job
  float huge_work = 500;    ///< a job whose share of a batch is predicted to be larger goes alone
  /// Deadlines within one slot of this length are equal: the shorter job goes first. A job without
  /// a deadline is ordered as if it had one a second after its arrival.
  double deadline_slot = 10'000;

  /// Throws UsageError if there is no client, and for a value that must be above 0 and is not.
  void validate() const;
};

}  // namespace warpdex
