// The CTAs that work on one query together: those of a thread block cluster, where queries are few
// and the GPU has clusters, else a single CTA. A query alone with k 1000 takes 104 us by a team and
// 144 by a single CTA (H200). Internal.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

namespace warpdex::gpu {

/// A team as one of its CTAs sees it.
class Team {
 public:
  /// The CTAs of this CTA's cluster; this CTA alone if it was launched without clusters.
  static __device__ Team of_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    using cooperative_groups::cluster_group;
    return {cluster_group::block_rank(), cluster_group::num_blocks()};
#else
    return alone();
#endif
  }
  static __device__ Team alone() { return {0, 1}; }

  __device__ std::uint32_t rank() const { return rank_; }
  __device__ std::uint32_t size() const { return size_; }

  /// A barrier for all threads of the team. Behind it each thread sees what the others wrote, in
  /// any memory. Behind the first one, all CTAs have started.
  __device__ void sync() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (size_ > 1) return cooperative_groups::cluster_group::sync();
#endif
    __syncthreads();
  }

  /// The two halves of a barrier between CTAs. All threads call both: arrive() signals, await()
  /// waits for the other CTAs. What a thread wrote before arrive(), the threads of other CTAs see
  /// behind await(); threads of the same CTA need a barrier of their own. No sync() in between.
  __device__ void arrive() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (size_ > 1) cooperative_groups::cluster_group::barrier_arrive();
#endif
  }
  __device__ void await() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (size_ > 1) cooperative_groups::cluster_group::barrier_wait();
#endif
  }

  /// The variable of another CTA's shared memory that corresponds to `own` in this CTA's. That CTA
  /// must have started and must not end before the variable was used.
  template <class T>
  __device__ T& of(std::uint32_t rank, T& own) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (size_ > 1) return *cooperative_groups::cluster_group::map_shared_rank(&own, rank);
#endif
    return own;
  }

 private:
  __device__ Team(std::uint32_t rank, std::uint32_t size) : rank_(rank), size_(size) {}

  std::uint32_t rank_;
  std::uint32_t size_;
};

}  // namespace warpdex::gpu
