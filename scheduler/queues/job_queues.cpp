// Lanes, clients and batches.
#include "queues/job_queues.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex {
namespace {

/// A job without a deadline is ordered as if it had this one.
constexpr Micros kUsualDeadline = 1e6;

/// The work that a job's client is charged for it.
double charge(const Job& job) {
  const JobCost& cost = job.cost;
  return static_cast<double>(
      std::max(0.1F, cost.gpu_can ? std::min(cost.cpu, cost.gpu_share) : cost.cpu));
}

}  // namespace

double batch_work(const std::vector<Job*>& batch) {
  BatchCost cost;
  for (const Job* job : batch) cost.add(job->cost);
  return cost.time();
}

JobQueues::JobQueues(const PlacementSettings& settings, std::size_t cpu_threads, bool has_gpu)
    : settings_(settings),
      cpu_threads_(static_cast<double>(std::max<std::size_t>(1, cpu_threads))),
      has_gpu_(has_gpu && settings.placement != Placement::kCpuOnly),
      lanes_{{LaneState(settings.client_weights), LaneState(settings.client_weights),
              LaneState(settings.client_weights)}} {
  settings.validate();
}

std::size_t JobQueues::size() const {
  std::size_t jobs = 0;
  for (const LaneState& lane : lanes_) jobs += lane.load.jobs();
  return jobs;
}

float JobQueues::work_in(Lane lane, const Job& job) {
  if (lane == Lane::kCpu) return job.cost.cpu;
  return lane == Lane::kHuge ? job.cost.gpu_alone : job.cost.gpu_share;
}

Waits JobQueues::waits(Micros now) const {
  Waits waits;
  const WorkCount& for_cpu = lane_of(Lane::kCpu).load;
  if (static_cast<double>(cpu_running_.jobs() + for_cpu.jobs()) >= cpu_threads_) {
    waits.cpu = (for_cpu.work() + cpu_running_.work() / 2) / cpu_threads_;
  }
  // Huge jobs run beside the others, so they do not count.
  const Micros under_way = gpu_free_at_.load(std::memory_order_relaxed) - now;
  waits.gpu = std::max(0.0, under_way) + lane_of(Lane::kGpu).load.work();
  return waits;
}

Lane JobQueues::choose_lane(const Job& job, Micros now) const {
  if (!has_gpu() || !job.cost.gpu_can) return Lane::kCpu;
  const double busy_cpu = static_cast<double>(cpu_running_.jobs() + size(Lane::kCpu));
  const QueueLoad load{.wait = waits(now),
                       .busy_cpu = static_cast<float>(std::min(1.0, busy_cpu / cpu_threads_)),
                       .gpu_jobs = size(Lane::kGpu)};
  return warpdex::choose_lane(job, load, settings_, now);
}

bool JobQueues::can_meet_deadline(const Job& job, Micros now) const {
  const Placement placement = has_gpu() ? settings_.placement : Placement::kCpuOnly;
  return warpdex::can_meet_deadline(job, waits(now), placement, now);
}

Lane JobQueues::place(Job& job, Micros now) {
  const Micros deadline = std::isfinite(job.deadline) ? job.deadline : job.arrival + kUsualDeadline;
  const Lane lane = choose_lane(job, now);
  job.place.slot = static_cast<std::int64_t>(deadline / settings_.deadline_slot);
  job.place.lane = static_cast<std::uint8_t>(lane);
  job.place.length = work_in(lane, job);
  lane_of(lane).clients.add(job.options.client);
  lane_of(lane).load.add(job.place.length);
  return lane;
}

void JobQueues::forget(Job& job) {
  lanes_[job.place.lane].load.remove(job.place.length);
  lanes_[job.place.lane].clients.remove(job.options.client);
}

void JobQueues::put(Job& job) {
  LaneState& lane = lanes_[job.place.lane];
  job.place.number = ++lane.last_number;
  job.state.store(Job::State::kQueued, std::memory_order_relaxed);
  lane.heaps[job.options.client].push(job);
  ++lane.queued;
}

void JobQueues::remove(Job& job) {
  LaneState& lane = lanes_[job.place.lane];
  lane.heaps[job.options.client].remove(job);
  --lane.queued;
  forget(job);
}

/// A job starts to run. Its client is charged for it.
void JobQueues::serve(Job& job) {
  ClientShares& clients = lanes_[job.place.lane].clients;
  clients.remove(job.options.client);
  clients.serve(job.options.client, charge(job));
  job.state.store(Job::State::kRunning, std::memory_order_relaxed);
}

void JobQueues::take_back(const Job& job) {
  lanes_[job.place.lane].clients.serve(job.options.client, -charge(job));
}

/// Takes a job to run, from its place in its heap. The caller must also take it off the lane's
/// load: threads write the load all the time, so several jobs are better taken off together.
void JobQueues::take(Job& job, std::size_t place) {
  LaneState& lane = lanes_[job.place.lane];
  lane.heaps[job.options.client].take(place);
  --lane.queued;
  serve(job);
}

/// The client that is served next from a lane that has jobs.
std::size_t JobQueues::next_client(Lane lane) const {
  const LaneState& state = lane_of(lane);
  const ClientShares& clients = state.clients;
  std::size_t best = clients.size();
  for (std::size_t client = 0; client < clients.size(); ++client) {
    if (state.heaps[client].empty()) continue;
    if (best == clients.size() || clients.pass(client) < clients.pass(best)) best = client;
  }
  return best;
}

Job* JobQueues::top_of(Lane lane) {
  LaneState& state = lane_of(lane);
  return state.queued == 0 ? nullptr : &state.heaps[next_client(lane)].top();
}

/// Takes a job for a CPU thread.
void JobQueues::run_on_cpu(Job& job, std::size_t place) {
  take(job, place);
  lanes_[job.place.lane].load.remove(job.place.length);
  const double running = static_cast<double>(cpu_running_.jobs());
  job.cpu_load = static_cast<float>(std::min(1.0, running / cpu_threads_));
  cpu_running_.add(job.cost.cpu);
}

Job* JobQueues::take_for_cpu() {
  Job* const job = top_of(Lane::kCpu);
  if (job != nullptr) run_on_cpu(*job, 0);
  return job;
}

Micros JobQueues::next_batch_time() const {
  if (!has_gpu()) return kNever;
  if (lane_of(Lane::kHuge).queued > 0 && huge_under_way_ == 0) return 0;
  return next_usual_batch_time();
}

/// The same for batches other than those of huge jobs.
Micros JobQueues::next_usual_batch_time() const {
  const LaneState& lane = lane_of(Lane::kGpu);
  if (lane.queued == 0 || batches_under_way_ >= settings_.batches) return kNever;
  if (batches_under_way_ == 0 || lane.queued >= settings_.batch_jobs) return 0;
  if (lane.load.work() >= static_cast<double>(settings_.batch_min_work)) return 0;
  // The job in front need not be the oldest: jobs are ordered by deadline, not by arrival.
  const Job& front = lane.heaps[next_client(Lane::kGpu)].job(0);
  const double part = static_cast<double>(settings_.batch_wait_part) * gpu_work_under_way_;
  return front.arrival + std::min(part, static_cast<double>(settings_.batch_wait));
}

/// Whether a job may join a batch whose shares add up to `work`.
bool JobQueues::may_join(const Job& job, const std::vector<Job*>& batch, double work) const {
  if (batch.empty()) return true;
  return job.work_class == batch.front()->work_class &&
         work + static_cast<double>(job.cost.gpu_share) <=
             static_cast<double>(settings_.batch_max_work);
}

/// Takes the next jobs, all of one class of work, from the GPU's lane.
void JobQueues::fill_batch(std::vector<Job*>& batch) {
  LaneState& lane = lane_of(Lane::kGpu);
  JobHeap& first = lane.heaps[next_client(Lane::kGpu)];
  if (first.size() == lane.queued) return fill_batch_from(first, batch);
  Work taken;
  double work = 0;
  while (batch.size() < settings_.batch_jobs) {
    Job* const job = top_of(Lane::kGpu);
    if (job == nullptr || !may_join(*job, batch, work)) break;
    work += static_cast<double>(job->cost.gpu_share);
    taken.add(job->place.length);
    take(*job, 0);
    batch.push_back(job);
  }
  lane.load.remove(taken);
}

/// The same if only one client has jobs. The jobs of a batch need not be sorted, unless some of
/// those that come first may not join it.
void JobQueues::fill_batch_from(JobHeap& heap, std::vector<Job*>& batch) {
  LaneState& lane = lane_of(Lane::kGpu);
  const std::size_t most = std::min(heap.size(), settings_.batch_jobs);
  heap.bring_to_front(most);
  Work taken;
  double work = 0;
  const auto fill = [&] {
    for (std::size_t i = 0; i < most && may_join(heap.job(i), batch, work); ++i) {
      work += static_cast<double>(heap.job(i).cost.gpu_share);
      taken.add(heap.job(i).place.length);
      batch.push_back(&heap.job(i));
    }
  };
  fill();
  if (batch.size() < most) {
    heap.sort_front(most);
    batch.clear();
    taken = {};
    work = 0;
    fill();
  }
  for (Job* job : batch) serve(*job);
  heap.drop_front(batch.size());
  lane.queued -= batch.size();
  lane.load.remove(taken);
}

BatchClaim JobQueues::take_batch(Micros now, std::vector<Job*>& batch) {
  batch.clear();
  if (!has_gpu()) return {};
  bool is_huge = false;
  if (now >= next_usual_batch_time()) {
    fill_batch(batch);
  } else if (huge_under_way_ == 0 && lane_of(Lane::kHuge).queued > 0) {
    Job* const job = top_of(Lane::kHuge);
    take(*job, 0);
    lane_of(Lane::kHuge).load.remove(job->place.length);
    batch.push_back(job);
    is_huge = true;
  }
  if (batch.empty()) return {};
  const double work = batch_work(batch);
  if (is_huge) {
    ++huge_under_way_;
  } else {
    ++batches_under_way_;
    gpu_work_under_way_ += work;
    const Micros free_at = gpu_free_at_.load(std::memory_order_relaxed);
    gpu_free_at_.store(std::max(free_at, now) + work, std::memory_order_relaxed);
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
  gpu_free_at_.store(now + gpu_work_under_way_, std::memory_order_relaxed);
}

std::vector<Job*> JobQueues::take_all() {
  std::vector<Job*> jobs;
  for (LaneState& lane : lanes_) {
    for (JobHeap& heap : lane.heaps) {
      heap.drop_removed();
      for (std::size_t i = 0; i < heap.size(); ++i) jobs.push_back(&heap.job(i));
      heap.clear();
    }
    lane.queued = 0;
  }
  for (Job* job : jobs) forget(*job);
  return jobs;
}

void JobQueues::place_again(Micros now) {
  for (Job* job : take_all()) push(*job, now);
}

}  // namespace warpdex
