// Writes loads as JSON.
#include "load/load_report.hpp"
#include "output/json.hpp"

namespace warpdex::tools {
namespace {

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
  json.member("moved_to_cpu", of.moved_to_cpu);
  json.member("stolen_by_cpu", of.stolen_by_cpu);
  json.member("batches", of.batches);
  json.member("gpu_failures", of.gpu_failures);
  json.member("mean_wait_us", of.waits.mean);
  json.member("p99_wait_us", of.waits.p99);
  write_prediction(json, "cpu_predictions", of.cpu);
  write_prediction(json, "batch_predictions", of.gpu);
  json.member("costs", cost_origin_name(of.costs));
  json.end_object();
}

void write_threads(JsonWriter& json, const char* name, const ThreadStatistics& of) {
  json.begin_object(name);
  json.member("threads", std::uint64_t{of.threads});
  json.member("busy_seconds", of.busy);
  json.member("waiting_seconds", of.waiting);
  json.end_object();
}

/// Of the scheduler, from its construction on, and of the threads that submit.
void write_processors(JsonWriter& json, const ProcessorTimes& of, const CallerStatistics& callers) {
  json.begin_object("processors");
  write_threads(json, "cpu_threads", of.cpu_threads);
  write_threads(json, "gpu_thread", of.gpu_thread);
  write_threads(json, "builders", of.builders);
  write_threads(json, "deliverers", of.deliverers);
  write_threads(json, "callers", callers.threads);
  json.member("cpu_queue_seconds", of.cpu_queue);
  json.member("gpu_queue_seconds", of.gpu_queue);
  json.member("cpu_runs_seconds", of.cpu_runs);
  json.member("starts_seconds", of.starts);
  json.member("ends_seconds", of.ends);
  json.member("deliveries_seconds", of.deliveries);
  json.member("submitting_seconds", callers.submitting);
  json.end_object();
}

void write_latency(JsonWriter& json, const std::string& name, const Latency& latency) {
  json.begin_object(name);
  json.member("mean_us", latency.mean);
  json.member("p50_us", latency.p50);
  json.member("p95_us", latency.p95);
  json.member("p99_us", latency.p99);
  json.member("max_us", latency.max);
  json.end_object();
}

void write_points(JsonWriter& json, const LoadPlan& plan, const std::vector<LoadPoint>& points) {
  json.begin_array("loads");
  for (const LoadPoint& point : points) {
    json.begin_object();
    json.member("on", placement_name(point.placement));
    json.member("rate", point.rate);
    json.member("cpu_threads", std::uint64_t{point.cpu_threads});
    write_summary(json, "all", point.all);
    json.begin_object("classes");
    for (std::size_t i = 0; i < plan.classes.size(); ++i) {
      write_summary(json, plan.classes[i].name, point.by_class[i]);
    }
    json.end_object();
    if (point.simulated) write_summary(json, "simulated", *point.simulated);
    write_statistics(json, point.statistics);
    write_processors(json, point.statistics.processors, point.callers);
    json.member("early_memory_bytes", point.early_memory);
    json.member("late_memory_bytes", point.late_memory);
    json.end_object();
  }
  json.end_array();
}

void write_singles(JsonWriter& json, const LoadPlan& plan, const SingleFigures& single) {
  write_latency(json, "all", single.all);
  json.begin_object("classes");
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    write_latency(json, plan.classes[i].name, single.by_class[i]);
  }
  json.end_object();
}

void write_by_hand(JsonWriter& json, const LoadPlan& plan, const LoadReport& report) {
  json.begin_array("by_hand");
  for (const HandFigures& hand : report.by_hand) {
    json.begin_object();
    json.member("on", processor_name(hand.processor));
    write_singles(json, plan, hand.single);
    json.begin_array("at_rates");
    for (std::size_t i = 0; i < hand.at_rates.size(); ++i) {
      json.begin_object();
      json.member("rate", plan.rates[i]);
      write_singles(json, plan, hand.at_rates[i].times);
      json.begin_object("delays");
      write_singles(json, plan, hand.at_rates[i].delays);
      json.end_object();
      json.end_object();
    }
    json.end_array();
    json.member("whole_batches_per_second", hand.batch_rate);
    json.member("callers_batches_per_second", hand.callers_rate);
    json.end_object();
  }
  json.end_array();
  json.begin_array("full_batches");
  for (const FullBatches& batches : report.full_batches) {
    json.begin_object();
    json.member("rate", batches.rate);
    write_summary(json, "all", batches.all);
    json.end_object();
  }
  json.end_array();
}

void write_sustained(JsonWriter& json, const LoadReport& report) {
  json.begin_array("callers");
  for (const ClosedLoop& loop : report.closed_loops) {
    json.begin_object();
    json.member("on", placement_name(loop.placement));
    json.member("callers", std::uint64_t{loop.callers});
    json.member("answers_per_second", loop.rate);
    write_latency(json, "all", loop.latency);
    json.end_object();
  }
  json.end_array();
  json.begin_array("highest_rates");
  for (const HighestRate& rate : report.highest) {
    json.begin_object();
    json.member("on", placement_name(rate.placement));
    json.member("queries_per_second", rate.live);
    if (rate.simulated) json.member("simulated_queries_per_second", *rate.simulated);
    json.end_object();
  }
  json.end_array();
}

void write_simulated_with(JsonWriter& json, const SimulatedWith& with) {
  json.begin_object("simulated_with");
  json.member("mean_cpu_us", with.cpu);
  json.member("overlapped_batch_us", with.batch);
  json.member("gpu_occupancy", with.occupancy);
  json.end_object();
}

}  // namespace

std::string loads_to_json(const LoadPlan& plan, const LoadReport& report) {
  JsonWriter json;
  json.begin_object();
  json.member("delay_counts_from", "the intended arrival");
  if (plan.options.has_deadline()) {
    json.member("deadline_us", static_cast<std::uint64_t>(plan.options.deadline.count()));
  }
  write_points(json, plan, report.points);
  write_by_hand(json, plan, report);
  write_sustained(json, report);
  if (report.simulated_with) write_simulated_with(json, *report.simulated_with);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
