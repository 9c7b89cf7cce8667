// How the processors are shared among the scheduler's threads. Internal.
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpdex/core/parallel.hpp"

namespace warpdex {

struct ThreadShares {
  std::size_t cpu = 1;       ///< threads that run jobs
  std::size_t builders = 1;  ///< that build large batches for the GPU
  std::size_t deliverers = 0;
};

/// With a GPU, three of eight processors (two at least) are left to the thread that feeds it, to
/// the threads that build batches and deliver answers, and to callers. Of the processors that CPU
/// threads leave, half are for builders and a third for deliverers. `wanted`: the number of CPU
/// threads; 0: as many as this rule gives.
inline ThreadShares thread_shares(std::size_t wanted, bool has_gpu) {
  constexpr std::size_t kGpuThreadsOfEight = 3;
  constexpr std::size_t kProcessorsPerBuilder = 2;
  constexpr std::size_t kProcessorsPerDeliverer = 3;
  const std::size_t all = default_threads();
  const std::size_t for_gpu = has_gpu ? std::max<std::size_t>(2, all * kGpuThreadsOfEight / 8) : 0;
  ThreadShares shares;
  shares.cpu = wanted > 0 ? wanted : (all > for_gpu ? all - for_gpu : 1);
  if (!has_gpu) return shares;
  const std::size_t left = all - std::min(all, shares.cpu);
  shares.builders = std::max<std::size_t>(1, left / kProcessorsPerBuilder);
  shares.deliverers = std::max<std::size_t>(1, left / kProcessorsPerDeliverer);
  return shares;
}

}  // namespace warpdex
