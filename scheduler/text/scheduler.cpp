// Turns queries into jobs.
#include "warpdex/scheduler/scheduler.hpp"

#include <utility>
#include <vector>

#include "text/text_work.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

struct Scheduler::State {
  State(const Snapshot& searched, const GpuSide& gpu, const SchedulerSettings& settings,
        const CostModel& model, std::span<WorkClass* const> others)
      : snapshot(searched), work(snapshot, gpu, model), pool(work) {
    std::vector<WorkClass*> classes{&work};
    classes.insert(classes.end(), others.begin(), others.end());
    jobs = std::make_unique<JobScheduler>(classes, settings);
  }

  const Snapshot snapshot;
  TextWork work;
  TextJobPool pool;
  std::unique_ptr<JobScheduler> jobs;
};

Scheduler::Scheduler(const Snapshot& snapshot, const GpuSide& gpu,
                     const SchedulerSettings& settings, const CostModel& model)
    : Scheduler(snapshot, gpu, settings, model, {}) {}
Scheduler::Scheduler(const Snapshot& snapshot, const GpuSide& gpu,
                     const SchedulerSettings& settings, const CostModel& model,
                     std::span<WorkClass* const> classes) {
  if (gpu.engine != nullptr && gpu.batches == 0) {
    throw UsageError("a GPU engine with room for 0 batches answers nothing; say how many it takes");
  }
  state_ = std::make_unique<State>(snapshot, gpu, settings, model, classes);
}
Scheduler::~Scheduler() = default;

std::future<ScheduledAnswer> Scheduler::submit(const Query& query, const SearchSettings& settings,
                                               const JobOptions& options) {
  return submit(plan_query(state_->snapshot, query), settings, options);
}

std::future<ScheduledAnswer> Scheduler::submit(PlannedQuery plan, const SearchSettings& settings,
                                               const JobOptions& options) {
  const auto promise = std::make_shared<std::promise<ScheduledAnswer>>();
  std::future<ScheduledAnswer> future = promise->get_future();
  submit(std::move(plan), settings, options, [promise](ScheduledAnswer&& answer) {
    if (answer.end == JobEnd::kFailed) {
      promise->set_exception(answer.failure);
    } else {
      promise->set_value(std::move(answer));
    }
  });
  return future;
}

QueryHandle Scheduler::submit(PlannedQuery plan, const SearchSettings& settings,
                              const JobOptions& options, OnAnswer on_answer) {
  settings.validate();
  effective_scorer(state_->snapshot.settings(), settings.scorer);  // throws if it does not fit
  TextJob& job = state_->pool.take();
  const QueryHandle handle{&job, job.generation.load(std::memory_order_relaxed)};
  job.plan = std::move(plan);
  job.settings = settings;
  job.query_class = query_class(settings);
  job.options = options;
  job.on_answer = std::move(on_answer);
  try {
    state_->jobs->submit(job);
  } catch (...) {
    job.on_answer = nullptr;
    state_->pool.give_back(job);
    throw;
  }
  return handle;
}

bool Scheduler::cancel(const QueryHandle& handle) {
  return handle.job != nullptr && state_->jobs->cancel(*handle.job, handle.generation);
}

SchedulerStatistics Scheduler::statistics() const {
  SchedulerStatistics statistics = state_->jobs->statistics();
  statistics.costs = state_->work.cost_origin();
  return statistics;
}
const Snapshot& Scheduler::snapshot() const { return state_->snapshot; }
JobScheduler& Scheduler::jobs() { return *state_->jobs; }

}  // namespace warpdex
