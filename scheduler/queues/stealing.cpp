// An idle processor takes jobs that wait for the other one.
#include <algorithm>

#include "queues/job_queues.hpp"

namespace warpdex {
namespace {

/// How many jobs, at the end of a heap's memory, are considered for stealing.
constexpr std::size_t kStealLooks = 8;

/// Time that the GPU saves for each microsecond that the CPU spends on the job.
float relief(const Job& job) { return job.cost.gpu_share / std::max(0.1F, job.cost.cpu); }

}  // namespace

/// Considers a few jobs that lie last. Of those that would go to the CPU if they came now, and that
/// it finishes before the GPU would start them, it takes the one with the most relief.
Job* JobQueues::steal_for_cpu(Micros now) {
  if (settings_.placement != Placement::kBoth) return nullptr;
  if (lane_of(Lane::kGpu).queued == 0) return nullptr;
  const JobHeap& jobs = lane_of(Lane::kGpu).heaps[next_client(Lane::kGpu)];
  const std::size_t first = jobs.places() > kStealLooks ? jobs.places() - kStealLooks : 0;
  const double wait = waits(now).gpu;
  Job* best = nullptr;
  std::size_t place = 0;
  for (std::size_t i = first; i < jobs.places(); ++i) {
    if (jobs.is_removed(i)) continue;
    Job* const job = &jobs.job(i);
    if (kCaution * static_cast<double>(job->cost.cpu) >= wait) continue;
    if (best != nullptr && relief(*job) <= relief(*best)) continue;
    if (choose_lane(*job, now) != Lane::kCpu) continue;
    best = job;
    place = i;
  }
  if (best != nullptr) run_on_cpu(*best, place);
  return best;
}

/// The GPU has nothing to do. It takes jobs that it finishes before the CPU would start them, half
/// of the CPU's queue at most. It begins with the client that is served next.
void JobQueues::steal_from_cpu(Micros now, std::vector<Job*>& batch) {
  if (settings_.placement != Placement::kBoth || for_cpu() < 2) return;
  const double wait = waits(now).cpu;
  std::size_t left = for_cpu() / 2;
  Work taken;
  std::vector<JobHeap>& heaps = lane_of(Lane::kCpu).heaps;
  const std::size_t first = next_client(Lane::kCpu);
  for (std::size_t turn = 0; turn < heaps.size(); ++turn) {
    JobHeap& heap = heaps[(first + turn) % heaps.size()];
    for (std::size_t i = heap.places();
         i-- > 0 && left > 0 && batch.size() < settings_.batch_jobs;) {
      if (i >= heap.places() || heap.is_removed(i)) continue;  // take() may free other places, too
      Job& job = heap.job(i);
      const bool is_alike = batch.empty() || batch.front()->work_class == job.work_class;
      if (!job.cost.gpu_can || !is_alike || static_cast<double>(job.cost.gpu_alone) > wait ||
          job.cost.gpu_share > settings_.huge_work) {
        continue;
      }
      taken.add(job.place.length);
      take(job, i);
      batch.push_back(&job);
      --left;
    }
  }
  lane_of(Lane::kCpu).load.remove(taken);
}

}  // namespace warpdex
