// The rules of docs/scheduler.md, "Queues". The first that applies chooses.
#include "queues/lane_choice.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// Added to both waits before they are compared, so that small differences do not count. In
/// microseconds.
constexpr double kWaitQuantum = 50;
/// A run on the CPU may take this many times its prediction.
constexpr double kLongRunFactor = 3;
/// The part of the wait for the GPU that is taken for certain: batches may end sooner.
constexpr double kCertainWaitPart = 0.25;

/// The work that the job adds to the GPU under this load: its share of a batch, and its part of a
/// batch's fixed cost, which is divided among it and the jobs of the GPU's queue.
double gpu_cost_now(const Job& job, const QueueLoad& load) {
  const double share = static_cast<double>(job.cost.gpu_share);
  const double base = static_cast<double>(job.cost.gpu_alone) - share;
  return share + base / (1 + static_cast<double>(load.gpu_jobs));
}

/// Whether a run on the CPU that takes kLongRunFactor times its prediction would end after the GPU
/// has answered, even if the wait for the GPU is shorter than predicted.
bool may_run_too_long(const Job& job, const QueueLoad& load, const PlacementSettings& settings) {
  const Micros run = static_cast<double>(job.cost.cpu_at(load.busy_cpu));
  const Micros batch = static_cast<double>(std::max(settings.batch_min_work, job.cost.gpu_alone));
  return kLongRunFactor * run > kCertainWaitPart * load.wait.gpu + batch;
}

/// Whether an idle GPU would be done with the job sooner than an idle CPU.
bool is_better_on_gpu(const Job& job) { return job.cost.cpu_at(0) > job.cost.gpu_alone; }

}  // namespace

/// The last rule compares the ratio of the job's costs with a threshold that follows the load: the
/// longer the wait for the GPU, compared with that for the CPU, the more a job must gain there.
Lane choose_lane(const Job& job, const QueueLoad& load, const PlacementSettings& settings,
                 Micros now) {
  const bool is_huge = job.cost.gpu_share > settings.huge_work;
  const Lane on_gpu = is_huge ? Lane::kHuge : Lane::kGpu;
  if (settings.placement == Placement::kGpuOnly) return on_gpu;
  if (settings.placement == Placement::kBetterAlone) {
    return is_better_on_gpu(job) ? on_gpu : Lane::kCpu;
  }
  const Waits& wait = load.wait;
  if (now + wait.cpu + static_cast<double>(job.cost.cpu) > job.deadline) return on_gpu;
  // A thread is free, and is done with the job before even an idle GPU would be. This costs the GPU
  // nothing.
  const auto cpu = static_cast<double>(job.cost.cpu_at(load.busy_cpu));
  if (wait.cpu == 0 && cpu <= static_cast<double>(job.cost.gpu_alone)) return Lane::kCpu;
  const bool gpu_is_in_time =
      now + wait.gpu + static_cast<double>(job.cost.gpu_alone) <= job.deadline;
  if (gpu_is_in_time && may_run_too_long(job, load, settings)) return on_gpu;
  const double threshold = (wait.gpu + kWaitQuantum) / (wait.cpu + kWaitQuantum);
  return cpu > threshold * gpu_cost_now(job, load) ? on_gpu : Lane::kCpu;
}

bool can_meet_deadline(const Job& job, const Waits& waits, Placement placement, Micros now) {
  const Micros on_cpu = waits.cpu + static_cast<double>(job.cost.cpu);
  const Micros on_gpu = waits.gpu + static_cast<double>(job.cost.gpu_alone);
  Micros takes = std::min(on_cpu, on_gpu);
  if (placement == Placement::kGpuOnly) takes = on_gpu;
  if (placement == Placement::kBetterAlone) takes = is_better_on_gpu(job) ? on_gpu : on_cpu;
  if (placement == Placement::kCpuOnly || !job.cost.gpu_can) takes = on_cpu;
  return now + takes <= job.deadline;
}

}  // namespace warpdex
