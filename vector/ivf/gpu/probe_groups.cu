// Counts the queries of each list, gives lists their tasks, and fills these with queries. The order
// of the queries of a list is any: no answer depends on it.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "ivf/gpu/probe_groups.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

/// A part of the probes: `width` of each query, from `first` on.
struct ProbePart {
  DeviceProbes probed;
  std::uint32_t first;
  std::uint32_t width;

  __device__ std::size_t pairs() const { return std::size_t{probed.count} * width; }
  __device__ std::uint32_t query(std::size_t pair) const {
    return static_cast<std::uint32_t>(pair / width);
  }
  __device__ std::uint32_t list(std::size_t pair) const {
    return probed.lists[pair / width * probed.probes + first + pair % width];
  }
};

__device__ std::size_t own_pair() { return std::size_t{blockIdx.x} * kThreads + threadIdx.x; }

/// Work item: a pair of a query and a list, a thread.
__global__ void __launch_bounds__(kThreads)
    count_queries(ProbePart part, std::uint32_t* counts, std::uint32_t* ranks) {
  const std::size_t pair = own_pair();
  if (pair < part.pairs()) ranks[pair] = atomicAdd(counts + part.list(pair), 1U);
}

constexpr std::uint32_t kPlaceThreads = 1024;
constexpr std::uint32_t kListsOfThread = 4;

/// One CTA: gives each list as many tasks as its queries need, one list behind the other.
__global__ void __launch_bounds__(kPlaceThreads)
    place_tasks(const std::uint32_t* counts, const std::uint32_t* panel_begins, std::uint32_t lists,
                std::uint32_t* begins, ListTask* tasks, std::uint32_t* task_count) {
  using Scan = cub::BlockScan<std::uint32_t, kPlaceThreads>;
  __shared__ typename Scan::TempStorage scratch;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < lists; turn += kPlaceThreads * kListsOfThread) {
    const std::uint32_t first = turn + threadIdx.x * kListsOfThread;
    std::uint32_t wanted[kListsOfThread];
    std::uint32_t at[kListsOfThread];
#pragma unroll
    for (std::uint32_t i = 0; i < kListsOfThread; ++i) {
      const std::uint32_t list = first + i;
      const bool is_empty = list >= lists || panel_begins[list] == panel_begins[list + 1];
      wanted[i] = is_empty ? 0 : (counts[list] + kPanelRows - 1) / kPanelRows;
    }
    std::uint32_t sum = 0;
    Scan(scratch).ExclusiveSum(wanted, at, sum);
#pragma unroll
    for (std::uint32_t i = 0; i < kListsOfThread; ++i) {
      if (wanted[i] == 0) continue;
      const std::uint32_t list = first + i;
      begins[list] = total + at[i];
      const ListTask task{panel_begins[list], panel_begins[list + 1] - panel_begins[list]};
      for (std::uint32_t t = 0; t < wanted[i]; ++t) tasks[total + at[i] + t] = task;
    }
    total += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) *task_count = total;
}

/// Work item: a pair, a thread.
__global__ void __launch_bounds__(kThreads)
    fill_entries(ProbePart part, const std::uint32_t* panel_begins, const std::uint32_t* begins,
                 const std::uint32_t* ranks, std::uint32_t* entries) {
  const std::size_t pair = own_pair();
  if (pair >= part.pairs()) return;
  const std::uint32_t list = part.list(pair);
  if (panel_begins[list] == panel_begins[list + 1]) return;
  entries[std::size_t{begins[list]} * kPanelRows + ranks[pair]] = part.query(pair);
}

}  // namespace

ProbeGroups::ProbeGroups(std::uint32_t lists, std::uint32_t queries, std::uint32_t probes)
    : lists_(lists), max_pairs_(std::size_t{queries} * probes) {}

std::size_t ProbeGroups::max_tasks(std::size_t pairs, std::size_t lists) {
  return pairs / kPanelRows + std::min(pairs, lists);
}

void ProbeGroups::lay_out(Arena& arena) {
  const std::size_t tasks = max_tasks(max_pairs_, lists_);
  all_tasks_ = arena.take<ListTask>(tasks);
  entries_ = arena.take<std::uint32_t>(tasks * kPanelRows);
  task_count_ = arena.take<std::uint32_t>(1);
  counts_ = arena.take<std::uint32_t>(lists_);
  begins_ = arena.take<std::uint32_t>(lists_);
  ranks_ = arena.take<std::uint32_t>(max_pairs_);
}

void ProbeGroups::group(const DeviceProbes& probed, std::uint32_t first, std::uint32_t last,
                        const std::uint32_t* panel_begins, const Stream& stream) {
  const ProbePart part{probed, first, last - first};
  const std::size_t pairs = std::size_t{probed.count} * part.width;
  const std::size_t tasks = max_tasks(pairs, lists_);
  check_cuda(
      cudaMemsetAsync(counts_, 0, std::size_t{lists_} * sizeof(std::uint32_t), stream.handle()),
      "cudaMemsetAsync");
  static_assert(kNoEntry == 0xFFFFFFFF);
  check_cuda(
      cudaMemsetAsync(entries_, 0xFF, tasks * kPanelRows * sizeof(std::uint32_t), stream.handle()),
      "cudaMemsetAsync");
  launch(launch_over("count_queries", pairs, kThreads, stream.handle()), count_queries, part,
         counts_, ranks_);
  launch({.name = "place_tasks", .ctas = 1, .threads = kPlaceThreads, .stream = stream.handle()},
         place_tasks, counts_, panel_begins, lists_, begins_, all_tasks_, task_count_);
  launch(launch_over("fill_entries", pairs, kThreads, stream.handle()), fill_entries, part,
         panel_begins, begins_, ranks_, entries_);
  tasks_ = {all_tasks_, entries_, task_count_, static_cast<std::uint32_t>(tasks)};
}

}  // namespace warpdex::vector
