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
  float batch_max_work = 10'000;  ///< the shares of a batch of several jobs add up to this at most
  /// An idle GPU starts a batch at once. Beside batches under way, the next one starts on one of
  /// three conditions. The first: it is full (batch_jobs). The second: its jobs are predicted to
  /// take at least this long. (This also counts as the time
  /// of a usual batch where a run on the CPU may become long.)
  float batch_min_work = 1'000;
  /// The third: a job at its front has waited for this part of the predicted time of the batches
  /// under way. So short batches are soon followed by the next one. Long ones are not, since
  /// batches that overlap slow each other down.
  float batch_wait_part = 0.3F;
  /// But no job at the front waits longer than this for the third condition.
  float batch_wait = 600;
  std::size_t batches = 3;  ///< under way on the GPU at a time, beside one of a huge job
  float huge_work = 500;    ///< a job whose share of a batch is predicted to be larger goes alone
  /// Deadlines within one slot of this length are equal: the shorter job goes first. A job without
  /// a deadline is ordered as if it had one a second after its arrival.
  double deadline_slot = 10'000;

  /// Throws UsageError if there is no client, and for a value that is not above 0.
  void validate() const;
};

}  // namespace warpdex
