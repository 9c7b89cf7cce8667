// Lists one behind the other, 8 vectors a warp at a time.
#include <cub/block/block_scan.cuh>

#include "flat/gpu/canonical.cuh"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr int kRows = 8;  ///< of a warp at a time: as many loads are under way in each lane

__device__ std::uint32_t own_query(const ScanListsTask& task) {
  return task.which == nullptr ? task.first + blockIdx.y : task.which[blockIdx.y];
}

/// Work item: a query, a CTA. ends[p] becomes the number of vectors of its first p + 1 lists.
__global__ void __launch_bounds__(kThreads) add_sizes(ScanListsTask task) {
  using Scan = cub::BlockScan<std::uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const std::uint32_t probes = task.probed.probes;
  const std::int32_t* const lists = task.probed.lists + std::size_t{own_query(task)} * probes;
  std::uint32_t* const ends = task.ends + std::size_t{blockIdx.y} * probes;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < probes; turn += kThreads) {
    const std::uint32_t probe = turn + threadIdx.x;
    std::uint32_t end = 0;
    if (probe < probes) end = task.begins[lists[probe] + 1] - task.begins[lists[probe]];
    std::uint32_t sum = 0;
    Scan(scratch).InclusiveSum(end, end, sum);
    if (probe < probes) ends[probe] = total + end;
    total += sum;
    __syncthreads();
  }
}

/// The vector at a place of the query's lists, which has `ends`; kNoEntry past the last one.
__device__ std::uint32_t find_vector(const ScanListsTask& task, const std::int32_t* lists,
                                     const std::uint32_t* ends, std::uint32_t place) {
  const std::uint32_t probes = task.probed.probes;
  if (place >= ends[probes - 1]) return kNoEntry;
  std::uint32_t low = 0;
  for (std::uint32_t high = probes - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (place < ends[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return task.begins[lists[low]] + place - (low == 0 ? 0 : ends[low - 1]);
}

/// The number of the row at a position; kNoEntry if there is none, or it is not allowed.
__device__ std::uint32_t find_id(const ScanListsTask& task, std::uint32_t position) {
  if (position == kNoEntry) return kNoEntry;
  const std::uint32_t id = task.row_numbers == nullptr ? position : task.row_numbers[position];
  const bool is_allowed = task.filter == nullptr || (task.filter[id / 64] >> (id % 64) & 1) != 0;
  return is_allowed ? id : kNoEntry;
}

/// Work item: 8 places of a query's lists, a warp. Shared memory: the query. Reading the vectors
/// bounds it.
template <class Component, bool kIsL2>
__global__ void __launch_bounds__(kThreads) scan_places(ScanListsTask task) {
  extern __shared__ float shared[];
  const std::uint32_t query = own_query(task);
  const std::uint32_t columns = task.queries.stride;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kThreads) {
    shared[i] = task.queries.values[std::size_t{query} * columns + i];
  }
  __syncthreads();
  const std::uint32_t probes = task.probed.probes;
  const std::int32_t* const lists = task.probed.lists + std::size_t{query} * probes;
  const std::uint32_t* const ends = task.ends + std::size_t{blockIdx.y} * probes;
  const auto* const data = static_cast<const Component*>(task.rows.data);
  const std::size_t out = std::size_t{blockIdx.y} * task.stride;
  const std::uint32_t step = gridDim.x * (kThreads / kWarp) * kRows;
  std::uint32_t first = (blockIdx.x * (kThreads / kWarp) + warp_id()) * kRows;
  for (; first < task.stride; first += step) {
    const std::uint32_t own = find_vector(task, lists, ends, first + lane_id() % kRows);
    const Component* row[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t position = __shfl_sync(kWholeWarp, own, r);
      row[r] = data + std::size_t{position == kNoEntry ? 0 : position} * task.rows.stride;
    }
    float sums[kRows] = {};
    add_terms<kIsL2, kRows, 1>(row, shared, columns, task.rows.dimension, sums);
    add_lanes<kRows>(sums);
    const std::uint32_t number = first_sum<kRows>();
    const std::uint32_t id = find_id(task, __shfl_sync(kWholeWarp, own, number));
    const std::uint32_t place = first + number;
    if (lane_id() % (kWarp / kRows) == 0 && place < task.stride) {
      task.values[out + place] =
          id == kNoEntry ? __int_as_float(0x7F800000) : ascending_value<kIsL2>(sums[0]);
      task.ids[out + place] = id;
    }
    if (task.stride - first <= step) break;  // `first` must not wrap around
  }
}

template <class Component, bool kIsL2>
void launch_scan(const ScanListsTask& task, const Stream& stream) {
  const auto kernel = scan_places<Component, kIsL2>;
  const std::size_t bytes = task.queries.stride * sizeof(float);
  constexpr std::uint32_t kPlacesOfCta = kThreads / kWarp * kRows;
  const std::uint32_t ctas =
      std::min((task.stride - 1) / kPlacesOfCta + 1, resident_ctas(kernel, kThreads, bytes));
  launch({.name = "scan_places",
          .ctas = dim3(ctas, task.count),
          .threads = kThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task);
}

}  // namespace

void scan_lists(const ScanListsTask& task, const Stream& stream) {
  launch({.name = "add_sizes",
          .ctas = dim3(1, task.count),
          .threads = kThreads,
          .stream = stream.handle()},
         add_sizes, task);
  if (task.rows.store == Store::kFloat) {
    (task.is_l2 ? launch_scan<float, true> : launch_scan<float, false>)(task, stream);
  } else {
    (task.is_l2 ? launch_scan<__half, true> : launch_scan<__half, false>)(task, stream);
  }
}

}  // namespace warpdex::vector
