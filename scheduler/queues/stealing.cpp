// An idle CPU thread takes jobs that wait for the GPU.
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
    if (static_cast<double>(job->cost.cpu) >= wait) continue;
    if (best != nullptr && relief(*job) <= relief(*best)) continue;
    if (choose_lane(*job, now) != Lane::kCpu) continue;
    best = job;
    place = i;
  }
  if (best != nullptr) run_on_cpu(*best, place);
  return best;
}

}  // namespace warpdex
