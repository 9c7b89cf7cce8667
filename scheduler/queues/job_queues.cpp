// Lanes, clients and the choice between processors.
#include "queues/job_queues.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex {
namespace {

/// Waits that differ by less do not count as load.
constexpr double kWaitQuantum = 50;
/// A job without a deadline is ordered as if it had this one.
constexpr Micros kUsualDeadline = 1e6;

}  // namespace

double batch_work(const std::vector<Job*>& batch) {
  BatchCost cost;
  for (const Job* job : batch) cost.add(job->cost);
  return cost.time();
}

bool can_meet_deadline(const Job& job, const Waits& waits, bool has_gpu, Micros now) {
  double soonest = waits.cpu + static_cast<double>(job.cost.cpu);
  if (has_gpu && job.cost.gpu_can) {
    soonest = std::min(soonest, waits.gpu + static_cast<double>(job.cost.gpu_alone));
  }
  return now + soonest <= job.deadline;
}

JobQueues::JobQueues(const PlacementSettings& settings, std::size_t cpu_threads, bool has_gpu)
    : settings_(settings),
      cpu_threads_(static_cast<double>(std::max<std::size_t>(1, cpu_threads))),
      has_gpu_(has_gpu && settings.placement != Placement::kCpuOnly) {
  settings.validate();
  for (const double weight : settings.client_weights) clients_.push_back({.weight = weight});
  for (LaneState& lane : lanes_) lane.heaps.resize(clients_.size());
}

std::size_t JobQueues::size() const {
  std::size_t jobs = 0;
  for (const LaneState& lane : lanes_) jobs += lane.jobs;
  return jobs;
}

double JobQueues::work_in(Lane lane, const Job& job) {
  if (lane == Lane::kCpu) return static_cast<double>(job.cost.cpu);
  return static_cast<double>(lane == Lane::kHuge ? job.cost.gpu_alone : job.cost.gpu_share);
}

Waits JobQueues::waits(Micros now) const {
  Waits waits;
  const auto queued = [&](Lane lane) { return lanes_[index(lane)].work; };
  if (static_cast<double>(cpu_running_ + for_cpu()) >= cpu_threads_) {
    waits.cpu = (queued(Lane::kCpu) + cpu_running_work_ / 2) / cpu_threads_;
  }
  // Huge jobs run beside the others, and so does the next batch if little is under way.
  const double beside = static_cast<double>(settings_.beside_work);
  waits.gpu = std::max(0.0, gpu_free_at_ - now - beside) + queued(Lane::kGpu);
  return waits;
}

/// What the job adds to the GPU's work as the load stands: of a batch's fixed cost, the part that
/// one of so many jobs bears.
double JobQueues::gpu_cost_now(const Job& job) const {
  const double share = static_cast<double>(job.cost.gpu_share);
  const double base = static_cast<double>(job.cost.gpu_alone) - share;
  return share + base / (1 + static_cast<double>(size(Lane::kGpu)));
}

/// The part of the CPU threads that are busy, or soon will be.
float JobQueues::cpu_load() const {
  const double busy = static_cast<double>(cpu_running_ + for_cpu());
  return static_cast<float>(std::min(1.0, busy / cpu_threads_));
}

/// What the job takes on a CPU thread as the load stands, with caution.
double JobQueues::cpu_cost_now(const Job& job) const {
  return kCaution * static_cast<double>(job.cost.cpu_at(cpu_load()));
}

bool JobQueues::prefers_gpu(const Job& job) const {
  return has_gpu_ && job.cost.gpu_can && job.cost.cpu_at(0) > job.cost.gpu_alone;
}

/// Membership by the ratio of the job's costs against a threshold that follows the load: the longer
/// the wait for the GPU against that for the CPU, the more a job must gain there.
Lane JobQueues::choose_lane(const Job& job, Micros now) const {
  if (!has_gpu_ || !job.cost.gpu_can) return Lane::kCpu;
  const bool is_huge = job.cost.gpu_share > settings_.huge_work;
  const Lane on_gpu = is_huge ? Lane::kHuge : Lane::kGpu;
  if (job.left_cpu) return on_gpu;
  if (settings_.placement == Placement::kGpuOnly) return on_gpu;
  if (settings_.placement == Placement::kBetterAlone) return prefers_gpu(job) ? on_gpu : Lane::kCpu;
  const Waits wait = waits(now);
  if (now + wait.cpu + kCaution * static_cast<double>(job.cost.cpu) > job.deadline) return on_gpu;
  // While threads are free, the CPU is done before even an idle GPU would be, and this costs the
  // GPU nothing.
  const double cpu = cpu_cost_now(job);
  if (wait.cpu == 0 && cpu <= static_cast<double>(job.cost.gpu_alone)) return Lane::kCpu;
  const double threshold = (wait.gpu + kWaitQuantum) / (wait.cpu + kWaitQuantum);
  return cpu > threshold * gpu_cost_now(job) ? on_gpu : Lane::kCpu;
}

void JobQueues::push(Job& job, Micros now) {
  const Micros deadline = std::isfinite(job.deadline) ? job.deadline : job.arrival + kUsualDeadline;
  job.place.slot = static_cast<std::int64_t>(deadline / settings_.deadline_slot);
  job.place.number = ++last_number_;
  put(job, choose_lane(job, now));
}

void JobQueues::put(Job& job, Lane lane) {
  job.place.lane = static_cast<std::uint8_t>(lane);
  job.place.length = static_cast<float>(work_in(lane, job));
  job.state.store(Job::State::kQueued, std::memory_order_relaxed);
  ClientState& client = clients_[job.options.client];
  if (client.jobs++ == 0) client.pass = std::max(client.pass, virtual_time_);
  LaneState& state = lanes_[index(lane)];
  state.heaps[job.options.client].push(job);
  ++state.jobs;
  state.work += work_in(lane, job);
}

void JobQueues::remove(Job& job) {
  LaneState& state = lanes_[job.place.lane];
  state.heaps[job.options.client].remove(job);
  --state.jobs;
  state.work -= work_in(static_cast<Lane>(job.place.lane), job);
  if (state.jobs == 0) state.work = 0;  // no rounding is left over
  --clients_[job.options.client].jobs;
}

/// Takes a job to run, which its client pays for.
void JobQueues::serve(Job& job) {
  ClientState& client = clients_[job.options.client];
  remove(job);
  virtual_time_ = client.pass;
  const float work = job.cost.gpu_can ? std::min(job.cost.cpu, job.cost.gpu_share) : job.cost.cpu;
  client.pass += static_cast<double>(std::max(work, 0.1F)) / client.weight;
  job.state.store(Job::State::kRunning, std::memory_order_relaxed);
}

Job* JobQueues::top_of(Lane lane) const {
  const LaneState& state = lanes_[index(lane)];
  if (state.jobs == 0) return nullptr;
  std::size_t best = clients_.size();
  for (std::size_t client = 0; client < clients_.size(); ++client) {
    if (state.heaps[client].empty()) continue;
    if (best == clients_.size() || clients_[client].pass < clients_[best].pass) best = client;
  }
  return &state.heaps[best].top();
}

Job* JobQueues::take_for_cpu(Micros now) {
  Job* job = top_of(Lane::kCpu);
  if (job == nullptr) job = steal_from_gpu(now);
  if (job == nullptr) return nullptr;
  serve(*job);
  job->cpu_load =
      static_cast<float>(std::min(1.0, static_cast<double>(cpu_running_) / cpu_threads_));
  ++cpu_running_;
  cpu_running_work_ += static_cast<double>(job->cost.cpu);
  return job;
}

void JobQueues::cpu_done(float work) {
  --cpu_running_;
  cpu_running_work_ -= static_cast<double>(work);
  if (cpu_running_ == 0) cpu_running_work_ = 0;
}

Micros JobQueues::next_batch_time() const {
  if (!has_gpu_) return kNever;
  if (size(Lane::kHuge) > 0 && huge_under_way_ == 0) return 0;
  return next_usual_batch_time();
}

/// The same, of batches that are not of a huge job.
Micros JobQueues::next_usual_batch_time() const {
  const std::size_t jobs = size(Lane::kGpu);
  if (jobs == 0 || batches_under_way_ >= settings_.batches) return kNever;
  if (batches_under_way_ == 0 || jobs >= settings_.batch_jobs) return 0;
  if (gpu_work_under_way_ < static_cast<double>(settings_.beside_work)) return 0;
  if (lanes_[index(Lane::kGpu)].work >= static_cast<double>(settings_.batch_min_work)) return 0;
  return top_of(Lane::kGpu)->arrival + static_cast<double>(settings_.batch_wait);
}

void JobQueues::fill_batch(std::vector<Job*>& batch) {
  double work = 0;
  while (batch.size() < settings_.batch_jobs) {
    Job* const job = top_of(Lane::kGpu);
    if (job == nullptr) return;
    if (!batch.empty()) {
      if (job->work_class != batch.front()->work_class) return;
      if (work + static_cast<double>(job->cost.gpu_share) >
          static_cast<double>(settings_.batch_max_work)) {
        return;
      }
    }
    work += static_cast<double>(job->cost.gpu_share);
    serve(*job);
    batch.push_back(job);
  }
}

BatchClaim JobQueues::take_batch(Micros now, std::vector<Job*>& batch) {
  batch.clear();
  if (!has_gpu_) return {};
  bool is_huge = false;
  if (now >= next_usual_batch_time()) {
    fill_batch(batch);
  } else if (huge_under_way_ == 0 && size(Lane::kHuge) > 0) {
    Job* const job = top_of(Lane::kHuge);
    serve(*job);
    batch.push_back(job);
    is_huge = true;
  } else if (batches_under_way_ + huge_under_way_ == 0) {
    steal_from_cpu(now, batch);
  }
  if (batch.empty()) return {};
  const double work = batch_work(batch);
  if (is_huge) {
    ++huge_under_way_;
  } else {
    ++batches_under_way_;
    gpu_work_under_way_ += work;
    gpu_free_at_ = std::max(gpu_free_at_, now) + work;
  }
  return {work, is_huge};
}

void JobQueues::batch_done(const BatchClaim& claim, Micros now) {
  if (claim.is_huge) {
    --huge_under_way_;
    return;
  }
  --batches_under_way_;
  const double left = gpu_work_under_way_ - claim.work;
  gpu_work_under_way_ = batches_under_way_ == 0 ? 0 : std::max(0.0, left);
  gpu_free_at_ = now + gpu_work_under_way_;
}

std::vector<Job*> JobQueues::take_all() {
  std::vector<Job*> jobs;
  for (const LaneState& lane : lanes_) {
    for (const JobHeap& heap : lane.heaps) {
      for (std::size_t i = 0; i < heap.size(); ++i) jobs.push_back(&heap.job(i));
    }
  }
  for (Job* job : jobs) remove(*job);
  return jobs;
}

void JobQueues::give_up_gpu(Micros now) {
  has_gpu_ = false;
  for (Job* job : take_all()) push(*job, now);
}

}  // namespace warpdex
