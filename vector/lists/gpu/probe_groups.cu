// Counts the queries of each list, gives lists their tasks, and fills these with queries. The
// queries of a list come in no fixed order: no answer depends on it.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

struct GroupTask {
  DeviceProbes probed;
  ProbePart part;
  std::uint32_t lists;
  const std::uint32_t* panel_begins;

  __host__ __device__ std::uint32_t width() const { return part.last - part.first; }
  __device__ std::size_t pairs() const { return std::size_t{probed.count} * width(); }
  __device__ std::uint32_t query(std::size_t pair) const {
    return static_cast<std::uint32_t>(pair / width());
  }
  __device__ std::uint32_t list(std::size_t pair) const {
    return probed.lists[pair / width() * probed.probes + part.first + pair % width()];
  }
  /// The panels of a list that are in the part.
  __device__ ListTask panels(std::uint32_t list) const {
    const std::uint32_t first = min(panel_begins[list] + part.first_panel, panel_begins[list + 1]);
    return {first, min(part.max_panels, panel_begins[list + 1] - first)};
  }
};

__device__ std::size_t own_pair() { return std::size_t{blockIdx.x} * kThreads + threadIdx.x; }

/// Work item: a pair of a query and a list, a thread.
__global__ void __launch_bounds__(kThreads)
    count_queries(GroupTask task, std::uint32_t* counts, std::uint32_t* ranks) {
  const std::size_t pair = own_pair();
  if (pair < task.pairs()) ranks[pair] = atomicAdd(counts + task.list(pair), 1U);
}

constexpr std::uint32_t kPlaceThreads = 1024;
constexpr std::uint32_t kListsOfThread = 4;

/// One CTA: gives each list as many tasks as its queries need, one list behind the other.
__global__ void __launch_bounds__(kPlaceThreads)
    place_tasks(GroupTask task, const std::uint32_t* counts, std::uint32_t* begins, ListTask* tasks,
                std::uint32_t* task_count) {
  using Scan = cub::BlockScan<std::uint32_t, kPlaceThreads>;
  __shared__ typename Scan::TempStorage scratch;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < task.lists; turn += kPlaceThreads * kListsOfThread) {
    const std::uint32_t first = turn + threadIdx.x * kListsOfThread;
    std::uint32_t wanted[kListsOfThread];
    std::uint32_t at[kListsOfThread];
#pragma unroll
    for (std::uint32_t i = 0; i < kListsOfThread; ++i) {
      const std::uint32_t list = first + i;
      const bool is_empty = list >= task.lists || task.panels(list).panels == 0;
      wanted[i] = is_empty ? 0 : (counts[list] + kPanelRows - 1) / kPanelRows;
    }
    std::uint32_t sum = 0;
    Scan(scratch).ExclusiveSum(wanted, at, sum);
#pragma unroll
    for (std::uint32_t i = 0; i < kListsOfThread; ++i) {
      if (wanted[i] == 0) continue;
      const std::uint32_t list = first + i;
      begins[list] = total + at[i];
      const ListTask own = task.panels(list);
      for (std::uint32_t t = 0; t < wanted[i]; ++t) tasks[total + at[i] + t] = own;
    }
    total += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) *task_count = total;
}

/// Work item: a pair, a thread.
__global__ void __launch_bounds__(kThreads)
    fill_entries(GroupTask task, const std::uint32_t* begins, const std::uint32_t* ranks,
                 std::uint32_t* entries) {
  const std::size_t pair = own_pair();
  if (pair >= task.pairs()) return;
  const std::uint32_t list = task.list(pair);
  if (task.panels(list).panels == 0) return;
  entries[std::size_t{begins[list]} * kPanelRows + ranks[pair]] = task.query(pair);
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

void ProbeGroups::group(const DeviceProbes& probed, const ProbePart& part,
                        const std::uint32_t* panel_begins, const Stream& stream) {
  const GroupTask task{probed, part, lists_, panel_begins};
  const std::size_t pairs = std::size_t{probed.count} * task.width();
  const std::size_t tasks = max_tasks(pairs, lists_);
  check_cuda(
      cudaMemsetAsync(counts_, 0, std::size_t{lists_} * sizeof(std::uint32_t), stream.handle()),
      "cudaMemsetAsync");
  static_assert(kNoEntry == 0xFFFFFFFF);
  check_cuda(
      cudaMemsetAsync(entries_, 0xFF, tasks * kPanelRows * sizeof(std::uint32_t), stream.handle()),
      "cudaMemsetAsync");
  launch(launch_over("count_queries", pairs, kThreads, stream.handle()), count_queries, task,
         counts_, ranks_);
  launch({.name = "place_tasks", .ctas = 1, .threads = kPlaceThreads, .stream = stream.handle()},
         place_tasks, task, counts_, begins_, all_tasks_, task_count_);
  launch(launch_over("fill_entries", pairs, kThreads, stream.handle()), fill_entries, task, begins_,
         ranks_, entries_);
  tasks_ = {all_tasks_, entries_, task_count_, static_cast<std::uint32_t>(tasks)};
}

}  // namespace warpdex::vector
