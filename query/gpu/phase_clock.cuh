// What the warps of a kernel spend their time on, for people who tune: read off the clock between
// one thing and the next. Internal.
#pragma once

#include "warpdex/query/gpu/list_reader.cuh"

namespace warpdex::gpu {

/// One warp's. Takes nothing unless it is on; then the kernel may spill some registers.
template <bool kIsOn>
class PhaseClock;

template <>
class PhaseClock<true> {
 public:
  __device__ void start() { begin_ = now(); }

  /// What the warp did since start(), or since the last end, was this.
  __device__ void end(GpuPhase phase) {
    const long long end = now();
    spent_[static_cast<std::size_t>(phase)] += end - begin_;
    begin_ = end;
  }

  /// A whole warp. `cycles`, by phase, in global memory.
  __device__ void add_to(unsigned long long* cycles) const {
    if (lane_id() != 0) return;
#pragma unroll
    for (std::size_t i = 0; i < kGpuPhases; ++i) {
      atomicAdd(cycles + i, static_cast<unsigned long long>(spent_[i]));
    }
  }

 private:
  /// No access to memory is moved across.
  static __device__ long long now() {
    long long cycles = 0;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
  }

  long long begin_ = 0;
  long long spent_[kGpuPhases] = {};
};

template <>
class PhaseClock<false> {
 public:
  __device__ void start() {}
  __device__ void end(GpuPhase) {}
  __device__ void add_to(const unsigned long long*) const {}
};

}  // namespace warpdex::gpu
