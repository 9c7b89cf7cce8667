// Writes the figures of vector bench.
#include "search/vector_bench_report.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include "output/json.hpp"
#include "output/plot.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::tools {
namespace {

template <class Has>
bool any_search(const VectorBenchResult& result, const Has& has) {
  return std::any_of(result.searches.begin(), result.searches.end(), has);
}

bool by_gpu(const VectorBenchResult& result) {
  return any_search(result, [](const MeasuredSearch& one) { return one.on_gpu.has_value(); });
}

bool is_judged(const VectorBenchResult& result) {
  return any_search(result, [](const MeasuredSearch& one) { return one.recall.has_value(); });
}

double queries_per_second(const MeasuredSearch& one) {
  return static_cast<double>(one.queries) / one.milliseconds * 1e3;
}

double microseconds_per_query(const MeasuredSearch& one) {
  return one.milliseconds * 1e3 / static_cast<double>(one.queries);
}

/// The share of queries that products settled; none: no products were made.
std::optional<double> certified_share(const MeasuredSearch& one) {
  if (!one.on_gpu || one.on_gpu->queries == 0) return std::nullopt;
  return 1 -
         static_cast<double>(one.on_gpu->uncertified) / static_cast<double>(one.on_gpu->queries);
}

std::string certified_text(const MeasuredSearch& one) {
  if (!one.on_gpu) return "";
  const std::optional<double> share = certified_share(one);
  return share ? fixed(100 * *share, 2) + " %" : "scan";
}

std::string count_text(std::size_t count) { return count > 0 ? std::to_string(count) : ""; }

std::string share_text(const std::optional<vector::Recall>& recall,
                       double vector::Recall::*figure) {
  return recall ? fixed((*recall).*figure, 4) : "";
}

/// A column of the table.
struct Shown {
  Table::Column column;
  std::function<std::string(const MeasuredSearch&)> text;
};

/// What was searched, how. A column is there if a search has something for it.
std::vector<Shown> search_columns(const VectorBenchResult& result) {
  using One = const MeasuredSearch&;
  std::vector<Shown> shown;
  if (result.names.size() > 1) {
    shown.push_back(
        {{"index", Table::Align::kLeft}, [&result](One one) { return result.names[one.index]; }});
  }
  shown.push_back({{"queries"}, [](One one) { return std::to_string(one.queries); }});
  shown.push_back({{"k"}, [](One one) { return std::to_string(one.k); }});
  if (any_search(result, [](One one) { return one.probes > 0; })) {
    shown.push_back({{"probes"}, [](One one) { return count_text(one.probes); }});
  }
  if (any_search(result, [](One one) { return one.refine > 0; })) {
    shown.push_back({{"refine"}, [](One one) { return count_text(one.refine); }});
  }
  return shown;
}

/// What came out.
std::vector<Shown> figure_columns(const VectorBenchResult& result) {
  using One = const MeasuredSearch&;
  std::vector<Shown> shown{
      {{"ms"}, [](One one) { return fixed(one.milliseconds, 3); }},
      {{"us a query"}, [](One one) { return fixed(microseconds_per_query(one), 2); }},
      {{"queries/s"},
       [](One one) { return grouped(static_cast<std::uint64_t>(queries_per_second(one))); }}};
  if (any_search(result, [](One one) { return one.floor > 0; })) {
    shown.push_back({{"over floor"}, [](One one) {
                       return one.floor > 0 ? fixed(one.milliseconds / one.floor, 2) : "";
                     }});
  }
  if (by_gpu(result)) shown.push_back({{"certified"}, certified_text});
  if (is_judged(result)) {
    shown.push_back(
        {{"1@k"}, [](One one) { return share_text(one.recall, &vector::Recall::nearest); }});
    shown.push_back(
        {{"k@k"}, [](One one) { return share_text(one.recall, &vector::Recall::intersection); }});
  }
  return shown;
}

void add_indexes(JsonWriter& json, const std::vector<std::string>& names,
                 const std::vector<VectorIndex>& indexes) {
  json.begin_array("indexes");
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const VectorIndexStats stats = indexes[i].stats();
    const NewVectorIndex& settings = stats.settings;
    json.begin_object();
    json.member("name", names[i]);
    json.member("index", vector_kind_name(settings));
    json.member("vectors", std::uint64_t{stats.live_rows});
    json.member("segments", std::uint64_t{stats.segments});
    json.member("dimension", std::uint64_t{settings.dimension});
    json.member("metric", vector::metric_name(settings.metric));
    json.member("store", vector::store_name(settings.store));
    if (settings.lists != 0) json.member("lists", std::uint64_t{settings.lists});
    if (settings.coding == VectorCoding::kPq) {
      json.member("bytes", std::uint64_t{settings.pq_bytes});
      json.member("bits", std::uint64_t{settings.pq_bits});
      json.member("is_rotated", settings.is_rotated);
      if (settings.rotated_dimension > 0) {
        json.member("rotated_dimension", std::uint64_t{settings.rotated_dimension});
      }
    }
    json.end_object();
  }
  json.end_array();
}

void add_search(JsonWriter& json, const std::string& name, const MeasuredSearch& one) {
  json.begin_object();
  json.member("index", name);
  json.member("queries", std::uint64_t{one.queries});
  json.member("k", std::uint64_t{one.k});
  if (one.probes > 0) json.member("probes", std::uint64_t{one.probes});
  if (one.refine > 0) json.member("refine", std::uint64_t{one.refine});
  json.member("milliseconds", one.milliseconds);
  if (one.floor > 0) json.member("floor_milliseconds", one.floor);
  json.member("processor", one.on_gpu ? "gpu" : "cpu");
  if (one.on_gpu) json.member("resident", one.on_gpu->is_resident);
  if (const auto share = certified_share(one)) json.member("certified", *share);
  if (one.recall) {
    json.member("1@k", one.recall->nearest);
    json.member("k@k", one.recall->intersection);
    json.member("judged", std::uint64_t{one.judged});
  }
  json.end_object();
}

/// What tells a line of a plot from the others.
struct LineName {
  std::size_t index = 0;
  std::size_t k = 0;
  std::size_t refine = 0;
  std::size_t probes = 0;  ///< 0 also where a line is over probes
  auto operator<=>(const LineName&) const = default;
};

std::string text_of(const VectorBenchResult& result, const LineName& line) {
  std::string text;
  if (result.names.size() > 1) text += result.names[line.index] + ", ";
  if (line.probes > 0) text += counted(line.probes, "probe") + ", ";
  if (line.refine > 0) text += "refine " + std::to_string(line.refine) + ", ";
  return text + "k " + std::to_string(line.k);
}

PlotPanel time_panel(const VectorBenchResult& result) {
  PlotPanel panel{
      PlotPanel::Kind::kLines, "search", "queries searched together", "us a query", {}, {}};
  for (const std::size_t batch : result.batches) panel.categories.push_back(std::to_string(batch));
  std::map<LineName, std::vector<double>> lines;
  const MeasuredSearch* first = nullptr;  // of its index
  for (const MeasuredSearch& one : result.searches) {
    if (first == nullptr || first->index != one.index) first = &one;
    const bool is_first = one.probes == first->probes && one.refine == first->refine;
    if (!is_first && is_judged(result)) continue;  // the other panel has these
    lines[{one.index, one.k, one.refine, one.probes}].push_back(microseconds_per_query(one));
  }
  for (auto& [line, values] : lines) {
    panel.series.push_back({text_of(result, line), std::move(values)});
  }
  return panel;
}

PlotPanel recall_panel(const VectorBenchResult& result) {
  const std::size_t largest = *std::max_element(result.batches.begin(), result.batches.end());
  PlotPanel panel{PlotPanel::Kind::kCurves,
                  counted(largest, "query") + " searched together",
                  "share of the k nearest that were found (k@k)",
                  "queries/s",
                  {},
                  {}};
  std::map<LineName, std::map<std::size_t, const MeasuredSearch*>> lines;
  for (const MeasuredSearch& one : result.searches) {
    if (one.queries == largest) lines[{one.index, one.k, one.refine, 0}][one.probes] = &one;
  }
  for (const auto& [line, by_probes] : lines) {
    PlotSeries series{text_of(result, line), {}, {}};
    for (const auto& [probes, one] : by_probes) {
      series.values.push_back(queries_per_second(*one));
      series.places.push_back(one->recall->intersection);
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace

void print_searches(const VectorBenchResult& result, std::ostream& out) {
  std::vector<Shown> shown = search_columns(result);
  for (Shown& one : figure_columns(result)) shown.push_back(std::move(one));
  std::vector<Table::Column> columns;
  for (const Shown& one : shown) columns.push_back(one.column);
  Table table(columns);
  for (const MeasuredSearch& search : result.searches) {
    std::vector<std::string> cells;
    for (const Shown& one : shown) cells.push_back(one.text(search));
    table.add(std::move(cells));
  }
  table.print(out);
}

std::string searches_to_json(const VectorBenchResult& result,
                             const std::vector<VectorIndex>& indexes) {
  JsonWriter json;
  json.begin_object();
  json.member("device", by_gpu(result) ? result.gpu : "cpu");
  if (by_gpu(result)) {
    json.member("shards", std::uint64_t{result.shards});
    json.member("replicas", std::uint64_t{result.replicas});
  }
  json.member("isa", isa_name(isa()));
  json.member("threads", std::uint64_t{result.threads});
  add_indexes(json, result.names, indexes);
  json.begin_array("searches");
  for (const MeasuredSearch& one : result.searches) {
    add_search(json, result.names[one.index], one);
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

std::string searches_to_svg(const VectorBenchResult& result) {
  std::vector<PlotPanel> panels{time_panel(result)};
  if (is_judged(result)) panels.push_back(recall_panel(result));
  return to_svg(panels);
}

}  // namespace warpdex::tools
