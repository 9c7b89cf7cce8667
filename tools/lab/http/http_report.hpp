// Sums up and reports loads of a server.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "http/http_load.hpp"

namespace warpdex::tools {

/// Answers of one status. Latencies in microseconds.
struct HttpStatusSummary {
  std::uint16_t status = 0;
  std::size_t count = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

struct HttpLoadSummary {
  double rate = 0;           ///< requests a second that were asked for; 0: a closed loop
  double answered_rate = 0;  ///< requests with status 200 a second
  std::size_t partial = 0;   ///< of status 200, not complete
  std::size_t on_gpu = 0;    ///< of status 200
  std::vector<HttpStatusSummary> statuses;  ///< by ascending status
};

/// O(n log n).
HttpLoadSummary summarise_http_load(const HttpLoadResult& result, double rate);

/// `per_request`: searches in each.
void print_http_loads(const std::vector<HttpLoadSummary>& loads, std::size_t per_request,
                      std::ostream& out);
std::string http_loads_to_json(const std::vector<HttpLoadSummary>& loads, std::size_t per_request);

}  // namespace warpdex::tools
