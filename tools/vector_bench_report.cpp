// Writes the figures of vector bench.
#include "vector_bench_report.hpp"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <utility>

#include "json.hpp"
#include "plot.hpp"
#include "table.hpp"
#include "text.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::tools {
namespace {

bool by_gpu(const std::vector<MeasuredSearch>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const MeasuredSearch& one) { return one.on_gpu.has_value(); });
}

/// The share of queries that products settled; none: no products were made.
std::optional<double> certified_share(const MeasuredSearch& one) {
  if (!one.on_gpu || one.on_gpu->queries == 0) return std::nullopt;
  return 1 -
         static_cast<double>(one.on_gpu->uncertified) / static_cast<double>(one.on_gpu->queries);
}

std::string certified_text(const MeasuredSearch& one) {
  const std::optional<double> share = certified_share(one);
  return share ? fixed(100 * *share, 2) + " %" : "scan";
}

}  // namespace

void print_searches(const std::vector<MeasuredSearch>& all, std::ostream& out) {
  std::vector<Table::Column> columns{{"queries"},    {"k"},         {"ms"},
                                     {"us a query"}, {"queries/s"}, {"over floor"}};
  if (by_gpu(all)) columns.push_back({"certified"});
  Table table(columns);
  for (const MeasuredSearch& one : all) {
    const auto queries = static_cast<double>(one.queries);
    std::vector<std::string> cells{
        std::to_string(one.queries),
        std::to_string(one.k),
        fixed(one.milliseconds, 3),
        fixed(one.milliseconds * 1e3 / queries, 2),
        grouped(static_cast<std::uint64_t>(queries / one.milliseconds * 1e3)),
        one.floor > 0 ? fixed(one.milliseconds / one.floor, 2) : ""};
    if (one.on_gpu) cells.push_back(certified_text(one));
    table.add(std::move(cells));
  }
  table.print(out);
}

std::string searches_to_json(const vector::VectorIndex& index, const VectorBenchSettings& settings,
                             const std::vector<MeasuredSearch>& all) {
  JsonWriter json;
  json.begin_object();
  json.member("vectors", std::uint64_t{index.live_rows()});
  json.member("segments", std::uint64_t{index.segments().size()});
  json.member("dimension", std::uint64_t{index.settings().dimension});
  json.member("metric", vector::metric_name(index.settings().metric));
  json.member("store", vector::store_name(index.settings().store));
  if (settings.probes > 0) json.member("probes", std::uint64_t{settings.probes});
  if (settings.refine > 0) json.member("refine", std::uint64_t{settings.refine});
  json.member("device", by_gpu(all) ? settings.gpu : "cpu");
  if (by_gpu(all)) {
    json.member("resident", settings.is_resident);
    json.member("shards", std::uint64_t{settings.shards});
    json.member("replicas", std::uint64_t{settings.replicas});
  }
  json.member("isa", isa_name(isa()));
  json.member("threads", std::uint64_t{settings.threads});
  json.begin_array("searches");
  for (const MeasuredSearch& one : all) {
    json.begin_object();
    json.member("queries", std::uint64_t{one.queries});
    json.member("k", std::uint64_t{one.k});
    json.member("milliseconds", one.milliseconds);
    if (one.floor > 0) json.member("floor_milliseconds", one.floor);
    json.member("processor", one.on_gpu ? "gpu" : "cpu");
    if (const auto share = certified_share(one)) json.member("certified", *share);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

std::string searches_to_svg(const std::vector<MeasuredSearch>& all,
                            const std::vector<std::size_t>& batches,
                            const std::vector<std::size_t>& ks) {
  PlotPanel panel{
      PlotPanel::Kind::kLines, "search", "queries searched together", "us a query", {}, {}};
  for (const std::size_t batch : batches) panel.categories.push_back(std::to_string(batch));
  for (const std::size_t k : ks) {
    PlotSeries series{"k " + std::to_string(k), {}};
    for (const MeasuredSearch& one : all) {
      if (one.k != k) continue;
      series.values.push_back(one.milliseconds * 1e3 / static_cast<double>(one.queries));
    }
    panel.series.push_back(series);
  }
  return to_svg({panel});
}

}  // namespace warpdex::tools
