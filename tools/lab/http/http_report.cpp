#include "http/http_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "output/json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

/// The value that this part of them do not exceed; `sorted` is ascending and not empty.
double percentile_of(const std::vector<float>& sorted, double part) {
  const double place = std::ceil(part * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, place)) - 1];
}

std::string in_milliseconds(double micros) { return fixed(micros / 1e3, 3); }

}  // namespace

HttpLoadSummary summarise_http_load(const HttpLoadResult& result, double rate) {
  HttpLoadSummary summary;
  summary.rate = rate;
  std::map<std::uint16_t, std::vector<float>> latencies;
  for (const HttpOutcome& outcome : result.outcomes) {
    latencies[outcome.status].push_back(outcome.latency);
    if (outcome.status != 200) continue;
    summary.partial += !outcome.is_complete;
    summary.on_gpu += outcome.is_of_gpu;
  }
  for (auto& [status, all] : latencies) {
    std::sort(all.begin(), all.end());
    summary.statuses.push_back(
        {status, all.size(), percentile_of(all, 0.5), percentile_of(all, 0.99), all.back()});
    if (status == 200) summary.answered_rate = static_cast<double>(all.size()) / result.seconds;
  }
  return summary;
}

void print_http_loads(const std::vector<HttpLoadSummary>& loads, std::size_t per_request,
                      std::ostream& out) {
  Table table({{"requests/s", Table::Align::kLeft},
               {"status"},
               {"answers"},
               {"p50 ms"},
               {"p99 ms"},
               {"max ms"},
               {"answered/s"},
               {"searches/s"},
               {"partial"},
               {"on GPU"}});
  for (const HttpLoadSummary& load : loads) {
    for (const HttpStatusSummary& one : load.statuses) {
      const bool is_ok = one.status == 200;
      const double searches = load.answered_rate * static_cast<double>(per_request);
      table.add({load.rate > 0 ? grouped(static_cast<std::uint64_t>(load.rate)) : "closed loop",
                 one.status == 0 ? "broken" : std::to_string(one.status), grouped(one.count),
                 in_milliseconds(one.p50), in_milliseconds(one.p99), in_milliseconds(one.max),
                 is_ok ? grouped(static_cast<std::uint64_t>(load.answered_rate)) : "",
                 is_ok ? grouped(static_cast<std::uint64_t>(searches)) : "",
                 is_ok ? grouped(load.partial) : "", is_ok ? grouped(load.on_gpu) : ""});
    }
  }
  table.print(out);
}

std::string http_loads_to_json(const std::vector<HttpLoadSummary>& loads, std::size_t per_request) {
  JsonWriter json;
  json.begin_object();
  json.member("searches_per_request", std::uint64_t{per_request});
  json.begin_array("loads");
  for (const HttpLoadSummary& load : loads) {
    json.begin_object();
    json.member("rate", load.rate);
    json.member("answered_rate", load.answered_rate);
    json.member("partial", std::uint64_t{load.partial});
    json.member("on_gpu", std::uint64_t{load.on_gpu});
    json.begin_array("statuses");
    for (const HttpStatusSummary& one : load.statuses) {
      json.begin_object();
      json.member("status", std::uint64_t{one.status});
      json.member("count", std::uint64_t{one.count});
      json.member("p50_us", one.p50);
      json.member("p99_us", one.p99);
      json.member("max_us", one.max);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
