// Summaries of measured times.
#include "search/timing.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex::tools {

Latency summarise(std::vector<std::uint64_t> nanoseconds) {
  Latency latency;
  if (nanoseconds.empty()) return latency;
  std::sort(nanoseconds.begin(), nanoseconds.end());
  double sum = 0;
  for (const std::uint64_t time : nanoseconds) sum += static_cast<double>(time);
  const std::size_t count = nanoseconds.size();
  const auto percentile = [&](std::size_t percent) {
    const std::size_t rank = (count * percent + 99) / 100;  // from 1, rounded up
    return static_cast<double>(nanoseconds[std::max<std::size_t>(rank, 1) - 1]) / 1000;
  };
  latency.mean = sum / static_cast<double>(count) / 1000;
  latency.p50 = percentile(50);
  latency.p90 = percentile(90);
  latency.p95 = percentile(95);
  latency.p99 = percentile(99);
  latency.max = static_cast<double>(nanoseconds.back()) / 1000;
  return latency;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace warpdex::tools
