// Groups of a query's lists one behind the other: a lane has a vector of a group.
#pragma once

#include <algorithm>
#include <cstdint>

#include "integer_codes/gpu/code_value.cuh"
#include "lists/gpu/codes/code_tasks.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kListScanThreads = 256;
inline constexpr std::uint32_t kListScanWarps = kListScanThreads / kWarp;

/// The probe that a group of a query's lists belongs to. `ends` has the groups up to each.
__device__ __forceinline__ std::uint32_t find_probe(const std::uint32_t* ends, std::uint32_t probes,
                                                    std::uint32_t group) {
  std::uint32_t low = 0;
  for (std::uint32_t high = probes - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (group < ends[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

__device__ __forceinline__ bool allows_row(const std::uint64_t* filter, std::uint32_t row) {
  return filter == nullptr || (filter[row / 64] >> (row % 64) & 1) != 0;
}

/// Work item: a group of 32 vectors of query blockIdx.y, a warp; grid-stride. Shared memory: the
/// query's words. A Scan is made of the codes, the queries and the query's number; it has
/// product(group, words), of the lane's vector, weight(list, position) and base(list, base), and
/// share(), by which terms of products are multiplied, if there are some.
template <class Scan, bool kIsL2>
__global__ void __launch_bounds__(kListScanThreads)
    scan_groups(ScanListCodesTask<typename Scan::Codes> task) {
  extern __shared__ uint4 words[];
  const std::uint32_t query = blockIdx.y;
  const auto& queries = task.codes;
  const auto* const given =
      reinterpret_cast<const uint4*>(queries.words + std::size_t{query} * queries.stride);
  for (std::uint32_t i = threadIdx.x; i < queries.stride / 4; i += kListScanThreads) {
    words[i] = given[i];
  }
  __syncthreads();
  const Scan scan(task.lists.codes, queries, query);
  const std::uint32_t probes = task.probed.probes;
  const std::int32_t* const lists = task.probed.lists + std::size_t{query} * probes;
  const std::uint32_t* const ends = task.ends + std::size_t{query} * probes;
  const float* const bases = task.bases + std::size_t{query} * probes;
  const std::uint32_t groups = ends[probes - 1];
  const std::uint32_t step = gridDim.x * kListScanWarps;
  for (std::uint32_t own = blockIdx.x * kListScanWarps + warp_id(); own < task.stride / kWarp;
       own += step) {
    const std::size_t out = std::size_t{query} * task.stride + own * kWarp + lane_id();
    float value = 0;
    std::uint32_t id = kNoEntry;
    if (own < groups) {
      const std::uint32_t probe = find_probe(ends, probes, own);
      const std::uint32_t in_list = own - (probe == 0 ? 0 : ends[probe - 1]);
      const std::uint32_t list = static_cast<std::uint32_t>(lists[probe]);
      const std::uint32_t position = task.lists.begins[list] + in_list * kWarp + lane_id();
      const bool exists = position < task.lists.begins[list + 1];
      const int product = scan.product(task.lists.group_begins[list] + in_list, words);
      if (exists) {
        const std::uint32_t row = __ldg(task.lists.row_numbers + position);
        float term = 0;
        if constexpr (kIsL2) term = __ldg(task.lists.codes.terms + position);
        if constexpr (!kIsL2 && requires { scan.share(); }) {
          term = shared_term<kIsL2>(task.lists.codes.terms, position, scan.share());
        }
        value = code_value<kIsL2>(scan.weight(list, position), scan.base(list, bases[probe]),
                                  __int2float_rn(product), term);
        if (allows_row(task.filter, row)) id = row;
      }
    }
    task.values[out] = value;
    task.ids[out] = id;
  }
}

/// Queues the scan. O(queries * stride * bytes of a code).
template <class Scan, bool kIsL2>
void launch_groups(const ScanListCodesTask<typename Scan::Codes>& task, const Stream& stream) {
  const auto kernel = scan_groups<Scan, kIsL2>;
  const std::size_t bytes = task.codes.stride * sizeof(std::uint32_t);
  const std::uint32_t ctas = (task.stride / kWarp + kListScanWarps - 1) / kListScanWarps;
  const std::uint32_t resident = resident_ctas(kernel, kListScanThreads, bytes);
  constexpr std::uint32_t kRounds = 4;
  launch(
      {.name = "scan_groups",
       .ctas = dim3(std::clamp(kRounds * resident / task.codes.count, 1U, ctas), task.codes.count),
       .threads = kListScanThreads,
       .shared_memory = bytes,
       .stream = stream.handle()},
      kernel, task);
}

template <class Scan>
void scan_lists_by(const ScanListCodesTask<typename Scan::Codes>& task, const Stream& stream) {
  const bool is_l2 = task.lists.codes.is_l2;
  open_lists({.queries = task.queries,
              .probed = task.probed,
              .group_begins = task.lists.group_begins,
              .centroids = task.lists.centroids,
              .ends = task.ends,
              .bases = task.bases},
             is_l2, stream);
  (is_l2 ? launch_groups<Scan, true> : launch_groups<Scan, false>)(task, stream);
}

}  // namespace warpdex::vector
