// Runs engines directly.
#include "load/load_by_hand.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>

#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/waiting.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex::tools {
namespace {

/// Single queries that do not count.
constexpr std::size_t kWarming = 64;
/// Measuring single queries stops after this many times the length of a load.
constexpr double kMaxTimes = 5;

using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::size_t count_answered(const BatchAnswers& answers) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) count += answers[i].is_answered ? 1 : 0;
  return count;
}

/// Answered queries a second in batches, with `in_flight` of them under way at a time.
double batch_rate(Engine& engine, QueryRing& ring, double wanted_seconds, std::size_t batch,
                  std::size_t in_flight, const std::function<void(double seconds)>& on_batch) {
  engine.wait(ring.submit(engine, batch));
  std::deque<Ticket> under_way;
  std::size_t answered = 0;
  const Clock::time_point start = Clock::now();
  while (under_way.size() < in_flight) under_way.push_back(ring.submit(engine, batch));
  while (!under_way.empty()) {
    answered += count_answered(engine.wait(under_way.front()));
    under_way.pop_front();
    const double seconds = micros_since(start) / 1e6;
    on_batch(seconds);
    if (seconds < wanted_seconds) under_way.push_back(ring.submit(engine, batch));
  }
  return static_cast<double>(answered) / (micros_since(start) / 1e6);
}

/// Collects the times of single queries.
class SingleTimes {
 public:
  explicit SingleTimes(std::size_t classes) : by_class_(classes) {}

  void add(std::size_t of_class, double micros) {
    const auto nanoseconds = static_cast<std::uint64_t>(micros * 1e3);
    by_class_[of_class].push_back(nanoseconds);
    all_.push_back(nanoseconds);
  }

  SingleFigures figures() const {
    SingleFigures figures;
    for (const std::vector<std::uint64_t>& times : by_class_) {
      figures.by_class.push_back(summarise(times));
    }
    figures.all = summarise(all_);
    return figures;
  }

 private:
  std::vector<std::vector<std::uint64_t>> by_class_;
  std::vector<std::uint64_t> all_;
};

/// One query at a time, the n-th not before the n-th of `times`. `answer` returns whether there is
/// one.
template <typename Answer>
SinglesAtRate measure_single(const LoadPlan& plan, std::span<const Micros> times, Answer& answer,
                             const std::function<void(std::size_t)>& on_query) {
  SingleTimes took(plan.classes.size());
  SingleTimes delays(plan.classes.size());
  const ExactSleep exact;
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (micros_since(begin) > kMaxTimes * plan.seconds * 1e6) break;
    const std::size_t query = i % plan.queries.size();
    wait_for_moment([&] { return micros_since(begin); }, times[i],
                    [] {
                      InterruptGuard::check();
                      return true;
                    });
    const double start = micros_since(begin);
    const bool is_answered = answer(plan.queries[query]);
    const double end = micros_since(begin);
    on_query(i);
    if (!is_answered) continue;
    took.add(plan.class_of[query], end - start);
    delays.add(plan.class_of[query], end - times[i]);
  }
  return {took.figures(), delays.figures()};
}

/// The engine's own memory is warm after few queries.
template <typename Answer>
SinglesAtRate measure_warm_single(const LoadPlan& plan, Processor processor,
                                  std::span<const Micros> times, Answer& answer,
                                  const OnLoadProgress& on_progress) {
  for (std::size_t i = 0; i < std::min(kWarming, plan.queries.size()); ++i) {
    answer(plan.queries[i]);
  }
  const std::string name = "by hand, " + std::string(processor_name(processor));
  return measure_single(plan, times, answer, [&](std::size_t done) {
    InterruptGuard::check();
    on_progress(name + ", single queries", done, times.size());
  });
}

/// Queries of the longest load, each once at most.
std::size_t most_queries(const LoadPlan& plan) {
  if (plan.rates.empty()) return plan.queries.size();
  std::size_t most = 0;
  for (const double rate : plan.rates) most = std::max(most, times_of(plan, rate).size());
  return std::min(most, plan.queries.size());
}

/// Answers a query on one CPU thread. Returns whether there is an answer.
class CpuAnswer {
 public:
  explicit CpuAnswer(const Snapshot& snapshot) : searcher_(snapshot) {}
  bool operator()(const PlannedSearch& query) {
    searcher_.run(query.plan, query.settings);
    return true;
  }

 private:
  CpuSearcher searcher_;
};

/// The same by the GPU's engine.
class GpuAnswer {
 public:
  explicit GpuAnswer(GpuGroupEngine& engine) : engine_(engine) {}
  bool operator()(const PlannedSearch& query) {
    const BatchAnswers answers = engine_.run(std::span(&query.plan, 1), query.settings);
    if (!answers[0].is_answered) return false;
    answers.result(0);  // in memory of its own, as the CPU's and the scheduler's are
    return true;
  }

 private:
  GpuGroupEngine& engine_;
};

template <typename Answer>
HandFigures measure_one(Processor processor, Engine& engine, QueryRing& ring, Answer& answer,
                        const LoadPlan& plan, std::size_t callers,
                        const OnLoadProgress& on_progress) {
  HandFigures figures;
  figures.processor = processor;
  figures.single.by_class.resize(plan.classes.size());
  if (plan.by_hand.single) {
    engine.wait(ring.submit(engine, plan.queries.size()));  // all threads warm the lists
    const std::vector<Micros> at_once(most_queries(plan));
    figures.single = measure_warm_single(plan, processor, at_once, answer, on_progress).times;
  }
  if (!plan.by_hand.batches) return figures;
  const std::string name = "by hand, " + std::string(processor_name(processor));
  const auto on_batch = [&](double seconds) {
    InterruptGuard::check();
    on_progress(name + ", batches", static_cast<std::size_t>(seconds * 1e3),
                static_cast<std::size_t>(plan.seconds * 1e3));
  };
  figures.batch_rate = batch_rate(engine, ring, plan.seconds, kWholeBatch, 2, on_batch);
  if (callers > 0) {
    figures.callers_rate = batch_rate(engine, ring, plan.seconds, callers, 1, on_batch);
  }
  return figures;
}

}  // namespace

std::string_view processor_name(Processor processor) {
  return processor == Processor::kGpu ? "gpu" : "cpu";
}

std::vector<HandFigures> measure_by_hand(const Snapshot& snapshot, const UploadedIndex* gpu,
                                         const LoadPlan& plan, std::size_t callers,
                                         const OnLoadProgress& on_progress) {
  std::vector<HandFigures> figures;
  if (!plan.by_hand.single && !plan.by_hand.batches) return figures;
  const std::size_t largest = std::max({kWholeBatch, callers, plan.queries.size()});
  QueryRing ring(plan, largest);  // outlives what engines have under way
  {
    CpuEngine engine(snapshot, {.threads = plan.settings.cpu_threads});
    CpuAnswer answer(snapshot);
    figures.push_back(
        measure_one(Processor::kCpu, engine, ring, answer, plan, callers, on_progress));
  }
  if (gpu == nullptr) return figures;
  GpuGroupEngine engine = gpu->make_engine({.max_batches = 2});
  GpuAnswer answer(engine);
  figures.push_back(measure_one(Processor::kGpu, engine, ring, answer, plan, callers, on_progress));
  return figures;
}

void measure_by_hand_at(double rate, const Snapshot& snapshot, const UploadedIndex* gpu,
                        const LoadPlan& plan, std::vector<HandFigures>& figures,
                        const OnLoadProgress& on_progress) {
  if (!plan.by_hand.single) return;
  const std::vector<Micros> times = times_of(plan, rate);
  const auto add = [&](HandFigures& of, auto& answer) {
    of.at_rates.push_back(measure_warm_single(plan, of.processor, times, answer, on_progress));
  };
  CpuAnswer on_cpu(snapshot);
  add(figures[0], on_cpu);
  if (gpu == nullptr) return;
  GpuGroupEngine engine = gpu->make_engine({.max_batches = 2});
  GpuAnswer on_gpu(engine);
  add(figures[1], on_gpu);
}

}  // namespace warpdex::tools
