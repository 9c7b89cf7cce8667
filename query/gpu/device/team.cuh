// The CTAs that work for one query together: a cluster's, where queries are few and the GPU has
// clusters, or one. Internal.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

namespace warpdex::gpu {

/// As one of its CTAs sees it.
class Team {
 public:
  /// The CTAs of this one's cluster; itself if it was launched without.
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

  /// A barrier for all threads, which see then what others wrote, in any memory. The first also
  /// says that all CTAs have begun.
  __device__ void sync() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (size_ > 1) return cooperative_groups::cluster_group::sync();
#endif
    __syncthreads();
  }

  /// The two halves of a barrier between CTAs, each by all threads: says that this one is here, and
  /// waits for the others. What a thread wrote before the first, all threads of the other CTAs see
  /// behind the second; those of its own need a barrier of theirs. No sync() in between.
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

  /// What `own`, in this CTA's shared memory, is in another's, which must have begun, and not end
  /// before it was used.
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
