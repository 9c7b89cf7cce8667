// How pairs of queries and objects are shared out to CTAs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "metric/gpu/device_objects.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::metric {

/// The object of pair i of a query.
__device__ __forceinline__ std::uint32_t object_of(const PairTask& task, std::uint32_t query,
                                                   std::uint32_t i) {
  return task.list == nullptr ? i : task.list[query * task.list_stride + i];
}

/// CTAs in x for the pairs of a query, each of which works on `pairs` of them at once, and in y a
/// query each. They are some times more than the GPU holds at once, which evens out their ends.
template <class Kernel>
dim3 pair_grid(const PairTask& task, Kernel kernel, std::uint32_t threads, std::uint32_t pairs) {
  constexpr std::uint32_t kRounds = 4;
  const std::uint32_t all = (task.count + pairs - 1) / pairs;
  const std::uint32_t held = resident_ctas(kernel, threads, 0);
  const std::uint32_t wanted = (kRounds * held + task.query_count - 1) / task.query_count;
  return {std::clamp(wanted, 1U, all), task.query_count};
}

}  // namespace warpdex::metric
