// A discrete-event simulation. Events are arrivals, the ends of CPU runs, of batches and of their
// deliveries, and the starts of batches.
#include "load/simulator.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <utility>

#include "cost/corrections.hpp"
#include "load/simulated_gpu.hpp"
#include "load/simulated_host.hpp"
#include "queues/job_queues.hpp"

namespace warpdex::tools {
namespace {

/// A query that is under way. Another query uses the job again after its end.
class SimulatedJob final : public Job {
 public:
  explicit SimulatedJob(WorkClass& work) : Job(work) {}
  void finish(JobEnd) noexcept override {}

  std::size_t number = 0;
  const SimulatedQuery* query = nullptr;
  Micros run_end = 0;   ///< of its run on the CPU
  bool is_cut = false;  ///< that run is stopped before it is done
};

/// Every job needs a class. The simulation never calls it.
class NoWork final : public WorkClass {
 public:
  JobCost estimate(const Job&) const override { return {}; }
  std::unique_ptr<CpuWorker> make_cpu_worker() override { return nullptr; }
  void answer_nothing(Job&) const override {}
};

class Simulation {
 public:
  Simulation(std::span<const SimulatedQuery> queries, std::span<const Micros> arrivals,
             const SimulatorSettings& settings, bool has_gpu)
      : queries_(queries),
        arrivals_(arrivals),
        settings_(settings),
        has_gpu_(has_gpu),
        all_(settings.placement, settings.cpu_threads, has_gpu),
        host_(settings.host),
        gpu_(settings.occupancy),
        idle_threads_(settings.cpu_threads),
        outcomes_(arrivals.size()) {}

  std::vector<LoadOutcome> run() {
    std::size_t next = 0;
    for (;;) {
      const Micros arrival = next < arrivals_.size() ? arrivals_[next] : kNever;
      const Micros event = events_.empty() ? kNever : events_.top().time;
      const bool may_start = batches_ < gpu_batches(settings_.placement);
      const Micros close =
          may_start ? std::max({now_, all_.next_batch_time(), host_.free_at()}) : kNever;
      const Micros first = std::min({arrival, event, close});
      if (first == kNever) break;
      now_ = first;
      if (event <= first) {
        take_event();
      } else if (arrival <= first) {
        arrive(next++);
      }
      start_runs();
    }
    return std::move(outcomes_);
  }

 private:
  struct Event {
    Micros time;
    SimulatedJob* job;          ///< its run ends; null: a batch ends
    std::size_t batch;          ///< the batch that ends
    bool is_delivered = false;  ///< not the end of a batch, but of its delivery
    bool operator<(const Event& other) const { return time > other.time; }
  };

  void arrive(std::size_t number) {
    SimulatedJob& job = take_job();
    job.number = number;
    job.query = &queries_[number % queries_.size()];
    job.cost = job.query->predicted;
    corrections_.apply(job.query->query_class, job.cost);
    job.options = settings_.options;
    job.arrival = now_;
    job.is_limited = false;
    job.deadline = job.options.has_deadline()
                       ? now_ + static_cast<double>(job.options.deadline.count())
                       : kNever;
    if (!let_in(job)) return;
    push(job);
  }

  void push(Job& job) {
    const Lane lane = all_.place(job, now_);
    if (lane == Lane::kCpu) host_.use_cpu_queue(now_);
    all_.put(job);
  }

  /// As the scheduler does. With kWait, all queries are let in: they wait as long inside as
  /// outside.
  bool let_in(SimulatedJob& job) {
    const OverloadPolicy policy = job.options.overload;
    if (policy == OverloadPolicy::kWait) return true;
    const bool has_room = under_way_ <= settings_.capacity;
    if (has_room && (job.deadline == kNever || all_.can_meet_deadline(job, now_))) {
      return true;
    }
    if (has_room && policy == OverloadPolicy::kPartial) {
      job.is_limited = true;
      job.cost.gpu_can = false;
      job.cost.cpu = std::min(job.cost.cpu, static_cast<float>(settings_.limited_run));
      if (all_.can_meet_deadline(job, now_)) return true;
    }
    end(job, policy == OverloadPolicy::kPartial ? JobEnd::kPartial : JobEnd::kRefused,
        Processor::kCpu);
    return false;
  }

  Job* take_for_cpu() {
    Job* const job = all_.take_for_cpu();
    return job != nullptr ? job : all_.steal_for_cpu(now_);
  }

  void start_runs() {
    start_cpu_runs();
    while (batches_ < gpu_batches(settings_.placement) && now_ >= host_.free_at() &&
           start_batch()) {
    }
    start_cpu_runs();  // of jobs that were too late for their batch
  }

  void start_cpu_runs() {
    while (idle_threads_ > 0) {
      auto* const job = static_cast<SimulatedJob*>(take_for_cpu());
      if (job == nullptr) break;
      const OverloadPolicy policy = job->options.overload;
      if (now_ > job->deadline && policy != OverloadPolicy::kWait) {
        all_.cpu_done(job->cost.cpu);
        const bool is_refused = policy == OverloadPolicy::kRefuse;
        end(*job, is_refused ? JobEnd::kRefused : JobEnd::kPartial, Processor::kCpu);
        continue;
      }
      --idle_threads_;
      Micros takes = static_cast<double>(job->query->measured.cpu_at(job->cpu_load));
      takes *= host_.slowdown(now_, settings_.cpu_threads - idle_threads_, batches_);
      job->start = host_.taken_at(now_);
      const Micros longest_run = longest_run_of(*job);
      job->is_cut = takes > longest_run;
      takes = std::min(takes, longest_run);
      job->run_end = job->start + takes + host_.run();
      events_.push({job->run_end, job, 0});
    }
  }

  /// The longest time that the job's run, which starts at `start`, may take.
  Micros longest_run_of(const SimulatedJob& job) const {
    Micros longest = kNever;
    if (job.options.overload == OverloadPolicy::kPartial)
      longest = std::max(0.0, job.deadline - job.start);
    return job.is_limited ? std::min(longest, settings_.limited_run) : longest;
  }

  bool start_batch() {
    SimulatedBatch batch;
    batch.claim = all_.take_batch(now_, batch.jobs);
    if (batch.jobs.empty()) return false;
    drop_late(batch.jobs);
    if (batch.jobs.empty()) {
      all_.batch_done(batch.claim, now_);
      return true;
    }
    batch.start = now_;
    ++batches_;
    const Micros built = host_.start(now_, batch.jobs.size());
    const Micros takes = time_of(batch.jobs);
    const SimulatedGpu::Started started = gpu_.start(std::move(batch), built, takes);
    events_.push({started.end, nullptr, started.place});
    return true;
  }

  /// Removes the jobs of a batch whose deadline has passed, as the scheduler does.
  void drop_late(std::vector<Job*>& jobs) {
    const auto drop = [&](Job* late) {
      auto& job = static_cast<SimulatedJob&>(*late);
      if (now_ <= job.deadline || job.options.overload == OverloadPolicy::kWait) return false;
      all_.take_back(job);
      if (job.options.overload == OverloadPolicy::kRefuse) {
        end(job, JobEnd::kRefused, Processor::kCpu);
      } else {
        job.is_limited = true;
        job.cost.gpu_can = false;
        push(job);
      }
      return true;
    };
    jobs.erase(std::remove_if(jobs.begin(), jobs.end(), drop), jobs.end());
  }

  static Micros time_of(const std::vector<Job*>& jobs) {
    BatchCost cost;
    for (const Job* job : jobs) cost.add(static_cast<const SimulatedJob*>(job)->query->measured);
    return cost.time();
  }

  void take_event() {
    const Event event = events_.top();
    events_.pop();
    if (event.job != nullptr) {
      ++idle_threads_;
      all_.cpu_done(event.job->cost.cpu);
      if (!event.job->is_limited && !event.job->is_cut) {
        corrections_.learn_cpu(event.job->query->query_class, *event.job,
                               static_cast<float>(now_ - event.job->start - host_.run()));
      }
      end(*event.job, event.job->is_cut ? JobEnd::kPartial : JobEnd::kComplete, Processor::kCpu);
      return;
    }
    if (event.is_delivered) {
      --batches_;
      return;
    }
    if (now_ < host_.free_at()) {  // the GPU's thread is busy and sees it later
      events_.push({host_.free_at(), nullptr, event.batch});
      return;
    }
    const auto [batch, took] = gpu_.end(event.batch, now_);
    all_.batch_done(batch.claim, now_);
    learn(batch, static_cast<float>(took));
    host_.end(now_, batch.jobs.size(), deliveries_);
    for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
      end(static_cast<SimulatedJob&>(*batch.jobs[i]), JobEnd::kComplete, Processor::kGpu,
          deliveries_[i]);
    }
    events_.push({*std::max_element(deliveries_.begin(), deliveries_.end()), nullptr, 0, true});
  }

  /// As the scheduler does.
  void learn(const SimulatedBatch& batch, float took) {
    if (!batch.is_alone && batch.jobs.size() == 1) return;
    const float part = batch.is_alone ? 1 : kPartBesideOthers;
    corrections_.learn_gpu(static_cast<const SimulatedJob*>(batch.jobs[0])->query->query_class,
                           batch.jobs.size(), part * static_cast<float>(batch_work(batch.jobs)),
                           took);
  }

  void end(SimulatedJob& job, JobEnd how, Processor processor) { end(job, how, processor, now_); }
  void end(SimulatedJob& job, JobEnd how, Processor processor, Micros when) {
    outcomes_[job.number] = {.latency = static_cast<float>(when - job.arrival),
                             .lag = 0,
                             .end = how,
                             .processor = processor};
    --under_way_;
    free_.push_back(&job);
  }

  SimulatedJob& take_job() {
    ++under_way_;
    if (free_.empty()) return jobs_.emplace_back(work_);
    SimulatedJob& job = *free_.back();
    free_.pop_back();
    return job;
  }

  const std::span<const SimulatedQuery> queries_;
  const std::span<const Micros> arrivals_;
  const SimulatorSettings& settings_;
  const bool has_gpu_;
  NoWork work_;
  std::deque<SimulatedJob> jobs_;
  std::vector<SimulatedJob*> free_;
  JobQueues all_;
  std::priority_queue<Event> events_;
  std::vector<Micros> deliveries_;  ///< of the batch that has just ended, by place
  SimulatedHost host_;
  SimulatedGpu gpu_;
  std::size_t idle_threads_;
  std::size_t batches_ = 0;  ///< started and not delivered
  Corrections corrections_;
  std::size_t under_way_ = 0;
  Micros now_ = 0;
  std::vector<LoadOutcome> outcomes_;
};

}  // namespace

std::vector<LoadOutcome> simulate_load(std::span<const SimulatedQuery> queries,
                                       std::span<const Micros> arrivals,
                                       const SimulatorSettings& settings) {
  const bool has_gpu = std::any_of(queries.begin(), queries.end(), [](const SimulatedQuery& query) {
    return query.measured.gpu_can;
  });
  return Simulation(queries, arrivals, settings, has_gpu).run();
}

}  // namespace warpdex::tools
