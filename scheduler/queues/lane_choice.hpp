// Which queue a job goes to, by its costs and by the load. (Ding et al., section 9.)
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/placement.hpp"

namespace warpdex {

/// The queues that a job can be in.
enum class Lane : std::uint8_t {
  kGpu,   ///< prefers the GPU
  kCpu,   ///< prefers the CPU
  kHuge,  ///< for the GPU, alone in its batch
};
inline constexpr std::size_t kLanes = 3;

/// The predicted time until a job that arrives now would start, in microseconds.
struct Waits {
  Micros cpu = 0;
  Micros gpu = 0;
};

/// The load that the choice follows.
struct QueueLoad {
  Waits wait;
  float busy_cpu = 0;        ///< part of the CPU threads, 0 to 1, that is busy or soon will be
  std::size_t gpu_jobs = 0;  ///< jobs in the GPU's queue, other than huge ones
};

/// The lane of a job that the GPU can answer, where there is a GPU.
Lane choose_lane(const Job& job, const QueueLoad& load, const PlacementSettings& settings,
                 Micros now);

/// Whether a job that arrives now is predicted to meet its deadline on the processor that would be
/// done with it first, of those that it may go to. Without a GPU, `placement` is kCpuOnly.
bool can_meet_deadline(const Job& job, const Waits& waits, Placement placement, Micros now);

}  // namespace warpdex
