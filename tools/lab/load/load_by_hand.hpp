// Measures the engines without a scheduler, for comparison with it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "load/query_ring.hpp"
#include "search/timing.hpp"

namespace warpdex::tools {

/// "cpu" or "gpu", as in options and in JSON.
std::string_view processor_name(Processor processor);

/// Times of single queries. Here and below, what the GPU cannot answer does not count.
struct SingleFigures {
  Latency all;
  std::vector<Latency> by_class;
};

/// Single queries at the arrival times of a load, or once the query before is answered.
struct SinglesAtRate {
  SingleFigures times;   ///< from a query's start
  SingleFigures delays;  ///< from its arrival, as in loads
};

/// Of one processor.
struct HandFigures {
  Processor processor = Processor::kCpu;
  /// One query after the other; on the CPU, by one thread.
  SingleFigures single;
  /// The same by measure_by_hand_at(), of each rate that it was called for.
  std::vector<SinglesAtRate> at_rates;
  /// Queries a second in batches of kWholeBatch, the next submitted while one runs; on the CPU by
  /// all threads.
  double batch_rate = 0;
  /// The same in batches of as many queries as there are callers, one after the other; 0: no
  /// callers.
  double callers_rate = 0;
};

/// Measures what LoadPlan::by_hand asks for: on the CPU, and on the GPU if `gpu` is not null. Empty
/// if it asks for neither single queries nor batches. Each figure takes the plan's seconds at most.
/// Lists are warm.
std::vector<HandFigures> measure_by_hand(const Snapshot& snapshot, const UploadedIndex* gpu,
                                         const LoadPlan& plan, std::size_t callers,
                                         const OnLoadProgress& on_progress);

/// Adds to `figures`, which measure_by_hand() gave, SinglesAtRate of this rate; nothing if
/// HandParts has no `single`. The queries are the load's, all of them if they do not take far
/// longer: others would have other percentiles.
void measure_by_hand_at(double rate, const Snapshot& snapshot, const UploadedIndex* gpu,
                        const LoadPlan& plan, std::vector<HandFigures>& figures,
                        const OnLoadProgress& on_progress);

}  // namespace warpdex::tools
