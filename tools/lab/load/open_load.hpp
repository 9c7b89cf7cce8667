// An open-loop load: queries arrive at given times, whether or not earlier ones have been answered,
// like those of many independent users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "warpdex/scheduler/calibration.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex::tools {

/// How queries arrive.
enum class ArrivalKind : std::uint8_t {
  kPoisson,  ///< independent of each other
  kBursts,   ///< Poisson, with bursts of a higher rate; see arrival_times()
  kReplay,   ///< at the times of a log
};

/// Times in microseconds from 0 on, ascending, for `seconds` at `rate` arrivals a second on
/// average. The same seed gives the same times. Bursts: 20 ms of each 200 ms on average, at random,
/// have half of all arrivals. O(arrivals), for bursts O(seconds) as well. `on_step` is called from
/// time to time; what it throws is passed on. Throws UsageError for a rate or time that is not
/// above 0, for more than a billion arrivals, and for kReplay: see replayed_times().
std::vector<Micros> arrival_times(ArrivalKind kind, double rate, double seconds, std::uint64_t seed,
                                  const std::function<void()>& on_step = {});

/// The times of a log, sorted, from 0 on, and scaled to `rate` arrivals a second on average. Throws
/// UsageError for fewer than two times, if all are the same, and for a rate that is not above 0.
std::vector<Micros> replayed_times(std::span<const double> log_times, double rate);

/// The outcome of one arrival. Times in microseconds.
struct LoadOutcome {
  float latency = 0;  ///< from the time at which it was due to its end
  float lag = 0;      ///< the part of the latency before submit() was called
  JobEnd end = JobEnd::kComplete;
  Processor processor = Processor::kCpu;
};

struct LoadSettings {
  std::span<const Micros> arrivals;  ///< ascending; the n-th is query n modulo their number
  JobOptions options;
  std::size_t generators = 1;  ///< threads that submit; they share the arrivals in turn
  /// Until the next query is due, a generator spins. If this is above 0, it sleeps instead, for
  /// this many microseconds or more, and then submits all queries that are due. This counts in
  /// latencies.
  Micros nap = 0;
};

/// Threads that submit, and spin or sleep until the next query is due.
struct CallerStatistics {
  ThreadStatistics threads;
  double submitting = 0;  ///< seconds in submit(), of all threads together
};

/// Submits all queries at their times and waits until all have ended. A query's latency counts from
/// the time at which it was due, even if submit() was called later. So a stall of the scheduler
/// does not hide the queries that were sent late because of it (no coordinated omission). `on_wait`
/// is called every 20 ms; if it throws, queries that have not started are cancelled, and the load
/// ends once those that run have ended, with that exception. If submit() throws, so does this.
/// There must be a query or more. `callers`, if not null, gets the times of the threads that
/// submitted.
std::vector<LoadOutcome> run_load(Scheduler& scheduler, std::span<const PlannedSearch> queries,
                                  const LoadSettings& settings,
                                  const std::function<void(std::size_t submitted)>& on_wait = {},
                                  CallerStatistics* callers = nullptr);

/// The sums of a load. Times in microseconds.
struct LoadSummary {
  std::size_t arrivals = 0;
  double seconds = 0;        ///< from the first arrival to the last
  double rate = 0;           ///< arrivals a second
  double answered_rate = 0;  ///< complete or partial answers a second
  double mean = 0;           ///< latency of complete and partial answers; p50 to max likewise
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
  double missed_share = 0;  ///< part not complete by the deadline; without one, not complete
  std::size_t on_gpu = 0;   ///< complete, by the GPU
  std::size_t partial = 0;
  std::size_t refused = 0;
  std::size_t failed = 0;
  double max_lag = 0;  ///< the largest LoadOutcome::lag
};

/// Sums up some or all outcomes of a load with these arrivals. `deadline` in microseconds, or
/// kNever. O(n).
LoadSummary summarise_load(std::span<const LoadOutcome> outcomes, std::span<const Micros> arrivals,
                           Micros deadline);

}  // namespace warpdex::tools
