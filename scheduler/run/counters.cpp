// Counts times by classes, and sums counters over threads.
#include "run/counters.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex {
namespace {

constexpr double kSmallest = 0.1;  // microseconds
constexpr double kStep = 1.07;

double upper_end(std::size_t time_class) {
  return kSmallest * std::pow(kStep, static_cast<double>(time_class));
}

/// The upper end of the class that holds the percentile `part`, 0 to 1, of `count` times.
double percentile(const ClassCounts& classes, std::uint64_t count, double part) {
  const double wanted = part * static_cast<double>(count);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kTimeClasses; ++i) {
    seen += classes[i];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return upper_end(i);
  }
  return 0;
}

}  // namespace

void TimeCounts::add(Micros time) {
  static const double per_class = 1 / std::log(kStep);
  const double place = time <= kSmallest ? 0 : std::ceil(std::log(time / kSmallest) * per_class);
  classes_[std::min(kTimeClasses - 1, static_cast<std::size_t>(place))].add(1);
  nanoseconds_.add(nanoseconds(time));
}

void TimeCounts::add_to(ClassCounts& classes, double& sum) const {
  for (std::size_t i = 0; i < kTimeClasses; ++i) classes[i] += classes_[i].value();
  sum += static_cast<double>(nanoseconds_.value()) / 1e3;
}

TimeStatistics TimeCounts::statistics(const ClassCounts& classes, double sum) {
  TimeStatistics times;
  for (const std::uint64_t count : classes) times.count += count;
  if (times.count == 0) return times;
  times.mean = sum / static_cast<double>(times.count);
  times.p50 = percentile(classes, times.count, 0.5);
  times.p95 = percentile(classes, times.count, 0.95);
  times.p99 = percentile(classes, times.count, 0.99);
  times.max = percentile(classes, times.count, 1);
  return times;
}

void PredictionCounts::add(float predicted, Micros took) {
  if (!(took > 0) || !(predicted > 0)) return;
  const double ratio = std::min(1e6, static_cast<double>(predicted) / took);
  runs_.add(1);
  errors_.add(static_cast<std::uint64_t>(std::abs(ratio - 1) * 1e3));
  ratios_.add(static_cast<std::uint64_t>(ratio * 1e3));
}

void PredictionCounts::add_to(PredictionStatistics& sum) const {
  sum.runs += runs_.value();
  sum.mean_relative_error += static_cast<double>(errors_.value()) / 1e3;
  sum.mean_ratio += static_cast<double>(ratios_.value()) / 1e3;
}

void PredictionCounts::finish(PredictionStatistics& sum) {
  if (sum.runs == 0) return;
  sum.mean_relative_error /= static_cast<double>(sum.runs);
  sum.mean_ratio /= static_cast<double>(sum.runs);
}

void Counters::count_end(const Job& job, JobEnd end) {
  switch (end) {
    case JobEnd::kComplete:
      (job.processor == Processor::kGpu ? complete_on_gpu : complete_on_cpu).add(1);
      break;
    case JobEnd::kPartial: partial.add(1); break;
    case JobEnd::kRefused: refused.add(1); return;
    case JobEnd::kCancelled: cancelled.add(1); return;
    case JobEnd::kFailed: failed.add(1); return;
  }
  if (job.end > job.deadline) late.add(1);
  waits.add(job.start - job.arrival);
  latencies.add(job.end - job.arrival);
}

SchedulerStatistics sum_of(const Counters* counters, std::size_t count) {
  SchedulerStatistics sum;
  ClassCounts waits{};
  ClassCounts latencies{};
  double waited = 0;
  double took = 0;
  for (const Counters* c = counters; c != counters + count; ++c) {
    sum.complete_on_cpu += c->complete_on_cpu.value();
    sum.complete_on_gpu += c->complete_on_gpu.value();
    sum.partial += c->partial.value();
    sum.refused += c->refused.value();
    sum.cancelled += c->cancelled.value();
    sum.failed += c->failed.value();
    sum.late += c->late.value();
    sum.moved_to_cpu += c->moved_to_cpu.value();
    sum.stolen_by_cpu += c->stolen_by_cpu.value();
    sum.batches += c->batches.value();
    sum.gpu_failures += c->gpu_failures.value();
    sum.processors.cpu_queue += static_cast<double>(c->cpu_queue.value()) * 1e-9;
    sum.processors.gpu_queue += static_cast<double>(c->gpu_queue.value()) * 1e-9;
    sum.processors.cpu_runs += static_cast<double>(c->cpu_runs.value()) * 1e-9;
    sum.processors.starts += static_cast<double>(c->starts.value()) * 1e-9;
    sum.processors.ends += static_cast<double>(c->ends.value()) * 1e-9;
    sum.processors.deliveries += static_cast<double>(c->deliveries.value()) * 1e-9;
    c->waits.add_to(waits, waited);
    c->latencies.add_to(latencies, took);
    c->cpu.add_to(sum.cpu);
    c->gpu.add_to(sum.gpu);
  }
  sum.waits = TimeCounts::statistics(waits, waited);
  sum.latencies = TimeCounts::statistics(latencies, took);
  PredictionCounts::finish(sum.cpu);
  PredictionCounts::finish(sum.gpu);
  return sum;
}

}  // namespace warpdex
