// How pairs of queries and objects are shared out to CTAs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "metric/gpu/device_objects.hpp"

namespace warpdex::metric {

/// The object of pair i of a query.
__device__ __forceinline__ std::uint32_t object_of(const PairTask& task, std::uint32_t query,
                                                   std::uint32_t i) {
  return task.list == nullptr ? i : task.list[query * task.list_stride + i];
}

/// The grid: x numbers the CTAs that share a query's pairs, each of which works on `pairs` of them
/// at once; y is the query. There are several times as many CTAs as a GPU holds at once, so that
/// they end at about the same time, and all CTAs of a query take equally many turns.
inline dim3 pair_grid(const PairTask& task, std::uint32_t pairs) {
  constexpr std::uint32_t kWantedCtas = 8192;
  const std::uint32_t tiles = (task.count + pairs - 1) / pairs;
  const std::uint32_t wanted = kWantedCtas / task.query_count + 1;
  const std::uint32_t turns = (tiles + wanted - 1) / wanted;
  return {(tiles + turns - 1) / turns, task.query_count};
}

}  // namespace warpdex::metric
