// Prints and draws loads.
#include "load/load_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "output/plot.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

std::string milliseconds(double micros) { return fixed(micros / 1e3, 3); }
std::string percentage(double share) { return fixed(share * 100, 2); }

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
          milliseconds(summary.max_lag),
          percentage(summary.missed_share),
          percentage(static_cast<double>(summary.on_gpu) /
                     static_cast<double>(std::max<std::size_t>(1, summary.arrivals)))};
}

/// All rates, ascending.
std::vector<double> rates_of(const std::vector<LoadPoint>& points) {
  std::vector<double> rates;
  for (const LoadPoint& point : points) rates.push_back(point.rate);
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

PlotPanel panel(const LoadPlan& plan, const std::vector<LoadPoint>& points,
                const std::string& title, double LoadSummary::*value) {
  PlotPanel drawn;
  drawn.title = title;
  drawn.x_label = "arrivals a second";
  drawn.y_label = "ms";
  const std::vector<double> rates = rates_of(points);
  for (const double rate : rates) {
    drawn.categories.push_back(grouped(static_cast<std::uint64_t>(rate)));
  }
  for (const Placement placement : plan.placements) {
    PlotSeries series{std::string(placement_name(placement)), {}};
    series.values.resize(rates.size(), std::numeric_limits<double>::quiet_NaN());
    for (const LoadPoint& point : points) {
      if (point.placement != placement || !holds(plan, point.all)) continue;
      const auto place = std::lower_bound(rates.begin(), rates.end(), point.rate) - rates.begin();
      series.values[static_cast<std::size_t>(place)] = point.all.*value / 1e3;
    }
    drawn.series.push_back(std::move(series));
  }
  return drawn;
}

/// The highest answered rate, of the points of a placement, that holds; 0 if there is none.
/// `simulated`: of the simulation.
double sustained_rate(const LoadPlan& plan, const std::vector<LoadPoint>& points,
                      Placement placement, bool simulated) {
  double highest = 0;
  for (const LoadPoint& point : points) {
    if (point.placement != placement || (simulated && !point.simulated)) continue;
    const LoadSummary& summary = simulated ? *point.simulated : point.all;
    if (holds(plan, summary)) highest = std::max(highest, summary.answered_rate);
  }
  return highest;
}

/// As "1 %".
std::string max_missed_text(const LoadPlan& plan) {
  std::string percent = fixed(plan.max_missed * 100, 2);
  percent.erase(percent.find_last_not_of('0') + 1);
  if (percent.back() == '.') percent.pop_back();
  return percent + " %";
}

std::string missed_text(const LoadPlan& plan) {
  return plan.max_missed == 0 ? "none missed" : "less than " + max_missed_text(plan) + " missed";
}

std::string missed_everywhere(const LoadPlan& plan) {
  if (plan.max_missed == 0) return "some missed at every rate";
  return max_missed_text(plan) + " missed or more at every rate";
}

void print_points(const LoadPlan& plan, const LoadReport& report, std::ostream& out) {
  Table table({{"on", Table::Align::kLeft},
               {"rate"},
               {"queries", Table::Align::kLeft},
               {"answers/s"},
               {"mean ms"},
               {"p50"},
               {"p95"},
               {"p99"},
               {"max"},
               {"sent late"},
               {"missed %"},
               {"on GPU %"}});
  for (const LoadPoint& point : report.points) {
    const std::string name(placement_name(point.placement));
    table.add(cells(name, "all", point.rate, point.all));
    const bool has_classes = plan.classes.size() > 1 && !point.is_search;
    for (std::size_t i = 0; has_classes && i < plan.classes.size(); ++i) {
      table.add(cells(name, plan.classes[i].name, point.rate, point.by_class[i]));
    }
    if (point.simulated) table.add(cells(name, "simulated", point.rate, *point.simulated));
  }
  for (const FullBatches& batches : report.full_batches) {
    table.add(cells("gpu", "full batches", batches.rate, batches.all));
  }
  if (!table.empty()) table.print(out);
}

std::vector<std::string> hand_cells(const HandFigures& hand, const std::string& what,
                                    const Latency& latency, const Latency* delay) {
  return {std::string(processor_name(hand.processor)),
          what,
          milliseconds(latency.mean),
          milliseconds(latency.p50),
          milliseconds(latency.p95),
          milliseconds(latency.p99),
          milliseconds(latency.max),
          delay == nullptr ? "" : milliseconds(delay->p99)};
}

/// `delays` may be null.
void add_singles(const LoadPlan& plan, const HandFigures& hand, const std::string& what,
                 const SingleFigures& single, const SingleFigures* delays, Table& table) {
  table.add(hand_cells(hand, what + "all", single.all, delays == nullptr ? nullptr : &delays->all));
  for (std::size_t i = 0; plan.classes.size() > 1 && i < plan.classes.size(); ++i) {
    table.add(hand_cells(hand, what + plan.classes[i].name, single.by_class[i],
                         delays == nullptr ? nullptr : &delays->by_class[i]));
  }
}

void print_by_hand(const LoadPlan& plan, const LoadReport& report, std::ostream& out) {
  if (report.by_hand.empty()) return;
  Table table({{"by hand on", Table::Align::kLeft},
               {"queries", Table::Align::kLeft},
               {"mean ms"},
               {"p50"},
               {"p95"},
               {"p99"},
               {"max"},
               {"p99 from arrival"}});
  for (const HandFigures& hand : report.by_hand) {
    if (!plan.by_hand.single) continue;
    add_singles(plan, hand, "", hand.single, nullptr, table);
    for (std::size_t i = 0; i < hand.at_rates.size(); ++i) {
      add_singles(plan, hand, grouped(static_cast<std::uint64_t>(plan.rates[i])) + "/s, ",
                  hand.at_rates[i].times, &hand.at_rates[i].delays, table);
    }
  }
  if (!table.empty()) table.print(out);
  for (const HandFigures& hand : report.by_hand) {
    if (!plan.by_hand.batches) continue;
    out << processor_name(hand.processor)
        << " by hand: " << grouped(static_cast<std::uint64_t>(hand.batch_rate))
        << " queries/s in batches of " << grouped(kWholeBatch);
    if (hand.callers_rate > 0) {
      out << ", " << grouped(static_cast<std::uint64_t>(hand.callers_rate)) << " in batches of "
          << report.closed_loops[0].callers;
    }
    out << "\n";
  }
}

void print_closed_loops(const LoadReport& report, std::ostream& out) {
  for (const ClosedLoop& loop : report.closed_loops) {
    out << placement_name(loop.placement) << ": " << grouped(static_cast<std::uint64_t>(loop.rate))
        << " answers/s to " << counted(loop.callers, "caller") << "; p50 "
        << milliseconds(loop.latency.p50) << " ms, p99 " << milliseconds(loop.latency.p99) << "\n";
  }
}

/// What a placement sustains, live and simulated; 0: nothing, or not known.
std::pair<double, double> sustained(const LoadPlan& plan, const LoadReport& report,
                                    Placement placement) {
  for (const HighestRate& rate : report.highest) {
    if (rate.placement == placement) return {rate.live, rate.simulated.value_or(0)};
  }
  return {sustained_rate(plan, report.points, placement, false),
          sustained_rate(plan, report.points, placement, true)};
}

void print_sustained(const LoadPlan& plan, const LoadReport& report, std::ostream& out) {
  if (report.points.empty()) return;
  for (const Placement placement : plan.placements) {
    const auto [live, simulated] = sustained(plan, report, placement);
    out << placement_name(placement) << ": "
        << (live > 0 ? "up to " + grouped(static_cast<std::uint64_t>(live)) + " answers/s with " +
                           missed_text(plan)
                     : missed_everywhere(plan));
    if (simulated > 0 && live > 0) {
      out << "; simulated " << grouped(static_cast<std::uint64_t>(simulated)) << " ("
          << percentage(simulated / live - 1) << " %)";
    }
    out << "\n";
  }
  out << "A delay counts from the time at which a query was to arrive, whether or not it could be "
         "submitted then.\n";
}

}  // namespace

void print_loads(const LoadPlan& plan, const LoadReport& report, std::ostream& out) {
  print_points(plan, report, out);
  print_by_hand(plan, report, out);
  print_closed_loops(report, out);
  print_sustained(plan, report, out);
}

std::string loads_to_svg(const LoadPlan& plan, const LoadReport& report) {
  return to_svg({panel(plan, report.points, "Mean delay (lines end where too many are missed)",
                       &LoadSummary::mean),
                 panel(plan, report.points, "99th percentile of the delay", &LoadSummary::p99)});
}

}  // namespace warpdex::tools
