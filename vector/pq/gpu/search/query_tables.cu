// Queries become vectors, vectors become tables.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/table_entry.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr int kRows = 8;  ///< of the rotation, that a warp takes at a time
/// CTAs that make tables in a launch, about: a byte each is little work.
constexpr std::uint32_t kTableCtas = 4096;

/// Work item: a component of a query, a thread.
__global__ void __launch_bounds__(kThreads)
    move_queries(DeviceCodes codes, DeviceQueries queries, float factor, float* moved) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= std::size_t{queries.count} * queries.stride) return;
  const std::uint32_t column = i % queries.stride;
  float component = column < codes.dimension ? queries.values[i] : 0.0F;
  if (codes.centre != nullptr && column < codes.dimension) {
    component = __fsub_rn(component, codes.centre[column]);
  }
  moved[i] = component * factor;
}

/// Work item: 8 components of a rotated query, a warp. Reading the rotation from L2 bounds it.
__global__ void __launch_bounds__(kThreads)
    rotate_queries(DeviceCodes codes, const float* moved, std::uint32_t stride, float factor,
                   float* vectors) {
  const std::uint32_t first = (blockIdx.x * kWarps + warp_id()) * kRows;
  if (first >= stride) return;
  const float* rows[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::uint32_t row = min(first + r, codes.coded_dimension - 1);
    rows[r] = codes.rotation + std::size_t{row} * codes.dimension;
  }
  const std::size_t query = blockIdx.y;
  float sums[kRows] = {};
  add_terms<false, kRows, 1>(rows, moved + query * stride, stride, codes.dimension, sums);
  add_lanes<kRows>(sums);
  const std::uint32_t column = first + first_sum<kRows>();
  if (lane_id() % (kWarp / kRows) != 0 || column >= stride) return;
  vectors[query * stride + column] = column < codes.coded_dimension ? sums[0] * factor : 0.0F;
}

/// The groups of a query's lists, added up. A CTA.
__device__ void add_groups(const TablesTask& task, std::uint32_t slot) {
  using Scan = cub::BlockScan<std::uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const std::int32_t* const lists =
      task.probed.lists + std::size_t{task.chosen.query(slot)} * task.probed.probes;
  std::uint32_t* const ends = task.made.ends + std::size_t{slot} * task.used;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < task.used; turn += kThreads) {
    const std::uint32_t probe = turn + threadIdx.x;
    std::uint32_t end = 0;
    if (probe < task.used) {
      const std::uint32_t* const begins = task.codes.group_begins + lists[probe];
      end = begins[1] - begins[0];
    }
    std::uint32_t sum = 0;
    Scan(scratch).InclusiveSum(end, end, sum);
    if (probe < task.used) ends[probe] = total + end;
    total += sum;
    __syncthreads();
  }
}

/// The canonical distance of a query and the centroid of one of its lists. A warp.
__device__ void find_base(const TablesTask& task, std::uint32_t slot, std::uint32_t probe) {
  if (probe >= task.used) return;
  const std::size_t query = task.chosen.query(slot);
  const std::uint32_t list[1] = {
      static_cast<std::uint32_t>(task.probed.lists[query * task.probed.probes + probe])};
  const std::uint32_t stride = task.queries.stride;
  const float* const values = task.queries.values + query * stride;
  const float base = task.codes.is_l2
                         ? distance_to_centroids<true, 1>(task.codes, values, stride, list)
                         : distance_to_centroids<false, 1>(task.codes, values, stride, list);
  if (lane_id() == 0) task.made.bases[std::size_t{slot} * task.used + probe] = base;
}

/// Work item of blockIdx.x: of query slot blockIdx.y the groups of its lists (0), or 8 of its bases
/// (the next ones), or a share of its tables (the last ones). Reading codebooks from L2 bounds it:
/// 1 KiB a component.
__global__ void __launch_bounds__(kThreads) make_tables(TablesTask task, std::uint32_t base_ctas) {
  const std::uint32_t slot = blockIdx.y;
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      task.made.bounds[slot] = ~0ULL;
      task.made.finished[slot] = 0;
    }
    add_groups(task, slot);
    return;
  }
  if (blockIdx.x <= base_ctas) {
    find_base(task, slot, (blockIdx.x - 1) * kWarps + warp_id());
    return;
  }
  const float* const vector =
      task.vectors + std::size_t{task.chosen.query(slot)} * task.queries.stride;
  float* const tables = task.made.tables + std::size_t{slot} * task.codes.bytes * kTableEntries;
  static_assert(kThreads == kTableEntries);
  const std::uint32_t step = gridDim.x - 1 - base_ctas;
  for (std::uint32_t byte = blockIdx.x - 1 - base_ctas; byte < task.codes.bytes; byte += step) {
    tables[byte * kTableEntries + threadIdx.x] = table_entry(task.codes, vector, byte, threadIdx.x);
  }
}

}  // namespace

void make_query_vectors(const DeviceCodes& codes, const DeviceQueries& queries, float* moved,
                        float* vectors, const Stream& stream) {
  const float factor = codes.is_l2 ? -2.0F : -1.0F;
  const bool is_rotated = codes.rotation != nullptr;
  const std::size_t size = std::size_t{queries.count} * queries.stride;
  launch(launch_over("move_queries", size, kThreads, stream.handle()), move_queries, codes, queries,
         is_rotated ? 1.0F : factor, is_rotated ? moved : vectors);
  if (!is_rotated) return;
  constexpr std::uint32_t kRowsOfCta = kWarps * kRows;
  constexpr std::uint32_t kMaxQueries = 65535;
  for (std::uint32_t first = 0; first < queries.count; first += kMaxQueries) {
    const std::size_t begin = std::size_t{first} * queries.stride;
    launch({.name = "rotate_queries",
            .ctas = dim3((queries.stride + kRowsOfCta - 1) / kRowsOfCta,
                         min(kMaxQueries, queries.count - first)),
            .threads = kThreads,
            .stream = stream.handle()},
           rotate_queries, codes, moved + begin, queries.stride, factor, vectors + begin);
  }
}

void make_query_tables(const TablesTask& task, const Stream& stream) {
  const std::uint32_t base_ctas = (task.used + kWarps - 1) / kWarps;
  const std::uint32_t table_ctas = std::clamp(kTableCtas / task.chosen.count, 1U, task.codes.bytes);
  launch({.name = "make_tables",
          .ctas = dim3(1 + base_ctas + table_ctas, task.chosen.count),
          .threads = kThreads,
          .stream = stream.handle()},
         make_tables, task, base_ctas);
}

}  // namespace warpdex::vector
