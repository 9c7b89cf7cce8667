// Measures how many cycles the warps of a kernel spend in each phase. For tuning.
#pragma once

#include <cstddef>

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex {

/// The clock of one warp. `Phase` is an enum class with values below `kPhases`. Does nothing unless
/// kIsOn; if it is on, the kernel may spill some registers.
template <class Phase, std::size_t kPhases, bool kIsOn>
class PhaseClock {
 public:
  __device__ void start() { begin_ = now(); }

  /// Counts the cycles since start(), or since the last end(), for `phase`.
  __device__ void end(Phase phase) {
    const long long end = now();
    spent_[static_cast<std::size_t>(phase)] += end - begin_;
    begin_ = end;
  }

  /// Adds the counts to `cycles`, by phase, in global memory. A whole warp.
  __device__ void add_to(unsigned long long* cycles) const {
    if (lane_id() != 0) return;
#pragma unroll
    for (std::size_t i = 0; i < kPhases; ++i) {
      atomicAdd(cycles + i, static_cast<unsigned long long>(spent_[i]));
    }
  }

 private:
  /// The compiler moves no memory access across this.
  static __device__ long long now() {
    long long cycles = 0;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
  }

  long long begin_ = 0;
  long long spent_[kPhases] = {};
};

template <class Phase, std::size_t kPhases>
class PhaseClock<Phase, kPhases, false> {
 public:
  __device__ void start() {}
  __device__ void end(Phase) {}
  __device__ void add_to(const unsigned long long*) const {}
};

}  // namespace warpdex
