// The mean, percentiles and median of measured times.
#pragma once

#include <cstdint>
#include <vector>

namespace warpdex::tools {

/// Times in microseconds. Percentile p is the smallest time such that p % of all times are at most
/// as large.
struct Latency {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};

/// Of times in nanoseconds, in any order; all zero for none. O(n log n).
Latency summarise(std::vector<std::uint64_t> nanoseconds);

/// The middle value (the mean of the two in the middle); 0 for none.
double median(std::vector<double> values);

}  // namespace warpdex::tools
