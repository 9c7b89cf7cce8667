// Prints, writes and draws loads.
#include "load_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "json.hpp"
#include "plot.hpp"
#include "table.hpp"
#include "text.hpp"

namespace warpdex::tools {
namespace {

constexpr double kMaxMissed = 0.01;

std::string milliseconds(double micros) { return fixed(micros / 1e3, 3); }
std::string percent(double share) { return fixed(share * 100, 2); }

std::vector<std::string> cells(const std::string& where, const std::string& name, double rate,
                               const LoadSummary& summary) {
  return {where,
          grouped(static_cast<std::uint64_t>(rate)),
          name,
          grouped(static_cast<std::uint64_t>(summary.answered_rate)),
          milliseconds(summary.mean),
          milliseconds(summary.p50),
          milliseconds(summary.p95),
          milliseconds(summary.p99),
          milliseconds(summary.max),
          percent(summary.missed_share),
          percent(static_cast<double>(summary.on_gpu) /
                  static_cast<double>(std::max<std::size_t>(1, summary.arrivals)))};
}

void write_summary(JsonWriter& json, const std::string& name, const LoadSummary& summary) {
  json.begin_object(name);
  json.member("arrivals", std::uint64_t{summary.arrivals});
  json.member("seconds", summary.seconds);
  json.member("arrivals_per_second", summary.rate);
  json.member("answers_per_second", summary.answered_rate);
  json.member("mean_us", summary.mean);
  json.member("p50_us", summary.p50);
  json.member("p95_us", summary.p95);
  json.member("p99_us", summary.p99);
  json.member("max_us", summary.max);
  json.member("missed_share", summary.missed_share);
  json.member("on_gpu", std::uint64_t{summary.on_gpu});
  json.member("partial", std::uint64_t{summary.partial});
  json.member("refused", std::uint64_t{summary.refused});
  json.member("failed", std::uint64_t{summary.failed});
  json.member("max_generator_lag_us", summary.max_lag);
  json.end_object();
}

void write_prediction(JsonWriter& json, const char* name, const PredictionStatistics& of) {
  json.begin_object(name);
  json.member("runs", of.runs);
  json.member("mean_relative_error", of.mean_relative_error);
  json.member("mean_ratio", of.mean_ratio);
  json.end_object();
}

void write_statistics(JsonWriter& json, const SchedulerStatistics& of) {
  json.begin_object("scheduler");
  json.member("complete_on_cpu", of.complete_on_cpu);
  json.member("complete_on_gpu", of.complete_on_gpu);
  json.member("late", of.late);
  json.member("moved_to_gpu", of.moved_to_gpu);
  json.member("moved_to_cpu", of.moved_to_cpu);
  json.member("stolen_by_cpu", of.stolen_by_cpu);
  json.member("batches", of.batches);
  json.member("gpu_failures", of.gpu_failures);
  json.member("mean_wait_us", of.waits.mean);
  json.member("p99_wait_us", of.waits.p99);
  write_prediction(json, "cpu_predictions", of.cpu);
  write_prediction(json, "batch_predictions", of.gpu);
  json.end_object();
}

PlotPanel panel(const LoadPlan& plan, const std::vector<LoadPoint>& points,
                const std::string& title, double LoadSummary::*value) {
  PlotPanel drawn;
  drawn.title = title;
  drawn.x_label = "arrivals a second";
  drawn.y_label = "ms";
  for (const double rate : plan.rates) {
    drawn.categories.push_back(grouped(static_cast<std::uint64_t>(rate)));
  }
  for (const Placement placement : plan.placements) {
    PlotSeries series{std::string(placement_name(placement)), {}};
    for (const LoadPoint& point : points) {
      if (point.placement != placement) continue;
      const bool holds = point.all.missed_share < kMaxMissed;
      series.values.push_back(holds ? point.all.*value / 1e3
                                    : std::numeric_limits<double>::quiet_NaN());
    }
    drawn.series.push_back(std::move(series));
  }
  return drawn;
}

}  // namespace

double sustained_rate(const std::vector<LoadPoint>& points, Placement placement, bool simulated) {
  double highest = 0;
  for (const LoadPoint& point : points) {
    if (point.placement != placement || (simulated && !point.simulated)) continue;
    const LoadSummary& summary = simulated ? *point.simulated : point.all;
    if (summary.missed_share < kMaxMissed) highest = std::max(highest, summary.answered_rate);
  }
  return highest;
}

void print_loads(const LoadPlan& plan, const std::vector<LoadPoint>& points, std::ostream& out) {
  Table table({{"on", Table::Align::kLeft},
               {"rate"},
               {"queries", Table::Align::kLeft},
               {"answers/s"},
               {"mean ms"},
               {"p50"},
               {"p95"},
               {"p99"},
               {"max"},
               {"missed %"},
               {"on GPU %"}});
  for (const LoadPoint& point : points) {
    const std::string name(placement_name(point.placement));
    table.add(cells(name, "all", point.rate, point.all));
    for (std::size_t i = 0; plan.classes.size() > 1 && i < plan.classes.size(); ++i) {
      table.add(cells(name, plan.classes[i].name, point.rate, point.by_class[i]));
    }
    if (point.simulated) table.add(cells(name, "simulated", point.rate, *point.simulated));
  }
  table.print(out);
  for (const Placement placement : plan.placements) {
    const double live = sustained_rate(points, placement, false);
    out << placement_name(placement) << ": "
        << (live > 0 ? "up to " + grouped(static_cast<std::uint64_t>(live)) +
                           " answers/s with less than 1 % missed"
                     : "more than 1 % missed at every rate");
    const double simulated = sustained_rate(points, placement, true);
    if (simulated > 0 && live > 0) {
      out << "; simulated " << grouped(static_cast<std::uint64_t>(simulated)) << " ("
          << percent(simulated / live - 1) << " %)";
    }
    out << "\n";
  }
  out << "A delay counts from the time at which a query was to arrive, whether or not it could be "
         "submitted then.\n";
}

std::string loads_to_json(const LoadPlan& plan, const std::vector<LoadPoint>& points) {
  JsonWriter json;
  json.begin_object();
  json.member("delay_counts_from", "the intended arrival");
  if (plan.options.has_deadline()) {
    json.member("deadline_us", static_cast<std::uint64_t>(plan.options.deadline.count()));
  }
  json.begin_array("loads");
  for (const LoadPoint& point : points) {
    json.begin_object();
    json.member("on", placement_name(point.placement));
    json.member("rate", point.rate);
    write_summary(json, "all", point.all);
    json.begin_object("classes");
    for (std::size_t i = 0; i < plan.classes.size(); ++i) {
      write_summary(json, plan.classes[i].name, point.by_class[i]);
    }
    json.end_object();
    if (point.simulated) write_summary(json, "simulated", *point.simulated);
    write_statistics(json, point.statistics);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

std::string loads_to_svg(const LoadPlan& plan, const std::vector<LoadPoint>& points) {
  return to_svg(
      {panel(plan, points, "Mean delay (lines end where 1 % is missed)", &LoadSummary::mean),
       panel(plan, points, "99th percentile of the delay", &LoadSummary::p99)});
}

}  // namespace warpdex::tools
