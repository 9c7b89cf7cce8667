// Each list is compared with all queries that probe it at once: it is read for up to 128 of them.
#include <algorithm>
#include <cfloat>

#include "flat/gpu/panel_product.cuh"
#include "lists/gpu/append_kept.cuh"
#include "lists/gpu/kernels.hpp"
#include "lists/gpu/task_panels.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: 16 bytes of a task's panel, a thread.
__global__ void __launch_bounds__(kThreads) gather_queries(MatchListsTask task) {
  const std::uint32_t own = task.first_task + blockIdx.x;
  if (own >= *task.tasks.count) return;
  const std::uint32_t units = task.chunks * (kChunkBytes / 16);
  for (std::uint32_t i = threadIdx.x; i < units; i += kThreads) {
    const std::uint32_t chunk = i / (kChunkBytes / 16);
    const std::uint32_t row = i / 4 % kPanelRows;
    const std::uint32_t unit = i % 4;
    const std::uint32_t query = task.tasks.entries[std::size_t{own} * kPanelRows + row];
    uint4 bytes{0, 0, 0, 0};
    if (query != kNoEntry) {
      const std::size_t panel = std::size_t{query / kPanelRows} * task.chunks + chunk;
      bytes = *reinterpret_cast<const uint4*>(task.queries.halves + panel * kChunkBytes +
                                              unit_offset(query % kPanelRows, unit));
    }
    const std::size_t to = std::size_t{blockIdx.x} * task.chunks + chunk;
    *reinterpret_cast<uint4*>(task.gathered + to * kChunkBytes + unit_offset(row, unit)) = bytes;
  }
}

__device__ __forceinline__ bool is_allowed(const MatchListsTask& task, std::uint32_t place) {
  const std::uint32_t id = task.ids[place];
  return (task.filter[id / 64] >> (id % 64) & 1) != 0;
}

/// The sums of a thread within two rows of a tile: bit 2 * n + odd of kept[half] is set if that one
/// is within the limit.
__device__ __forceinline__ void find_kept(const float (&limits)[2], const TileSums& sums,
                                          const float* offsets, std::uint32_t m,
                                          std::uint32_t (&kept)[2]) {
  kept[0] = kept[1] = 0;
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const float offset = offsets[column_of_sum(n, odd)];
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        if (sums[m][n][2 * half + odd] + offset <= limits[half]) kept[half] |= 1U << (2 * n + odd);
      }
    }
  }
}

/// Clears the bits of rows that are not allowed. `place` is that of the panel's first row.
__device__ void apply_filter(const MatchListsTask& task, std::uint32_t place, std::uint32_t& kept) {
  for (std::uint32_t left = kept; left != 0; left &= left - 1) {
    const std::uint32_t i = __ffs(static_cast<int>(left)) - 1;
    if (!is_allowed(task, place + column_of_sum(i / 2, i % 2))) kept &= ~(1U << i);
  }
}

/// Appends the sums of a tile that are within their limits.
__device__ __forceinline__ void keep_within(const MatchListsTask& task,
                                            const std::uint32_t* entries, std::uint32_t panel,
                                            const TileSums& sums, const float* offsets,
                                            const float (&limits)[kRowBlocks][2]) {
  const std::uint32_t place = panel * kPanelRows;
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    std::uint32_t kept[2];
    find_kept(limits[m], sums, offsets, m, kept);
    if (!__any_sync(kWholeWarp, (kept[0] | kept[1]) != 0)) continue;
    if (task.filter != nullptr) {
      apply_filter(task, place, kept[0]);
      apply_filter(task, place, kept[1]);
    }
    const std::uint32_t query[2] = {entries[row_of_sum(m, 0)], entries[row_of_sum(m, 1)]};
    append_kept(task.lists, kept, query, place, [&](std::uint32_t i, std::uint32_t half) {
      return sums[m][i / 2][2 * half + i % 2] + offsets[column_of_sum(i / 2, i % 2)];
    });
  }
}

/// Work item: a task and a part of its list's panels, a CTA of 8 warps. Shared memory: the queries
/// (up to 256 components), and 4 chunks of the list. Reading the lists bounds it, or, where many
/// queries probe them, the tensor cores.
__global__ void __launch_bounds__(kProductThreads, 2)
    match_list_panels(MatchListsTask task, ProductShape shape) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const std::uint32_t number = task.first_task + blockIdx.x;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t first = own.first_panel + own.panels * blockIdx.y / gridDim.y;
  const std::uint32_t last = own.first_panel + own.panels * (blockIdx.y + 1) / gridDim.y;
  const std::uint32_t* const entries = task.tasks.entries + std::size_t{number} * kPanelRows;
  float limits[kRowBlocks][2];
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t query = entries[row_of_sum(m, half)];
      limits[m][half] = query == kNoEntry ? -FLT_MAX : task.queries.limits[query];
    }
  }
  const ProductTask product{task.gathered + std::size_t{blockIdx.x} * task.chunks * kChunkBytes,
                            task.rows.halves,
                            task.rows.offsets,
                            task.chunks,
                            first,
                            last};
  PanelProduct(product, shape, shared)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* offsets) {
        keep_within(task, entries, panel, sums, offsets, limits);
      });
}

}  // namespace

void match_lists(const MatchListsTask& all, const Stream& stream) {
  const ProductShape shape = product_shape(1, 0);
  const std::size_t bytes = shape.bytes(all.chunks);
  allow_all_shared_memory(reinterpret_cast<const void*>(match_list_panels));
  const std::uint32_t resident = resident_ctas(match_list_panels, kProductThreads, bytes);
  MatchListsTask task = all;
  for (; task.first_task < all.tasks.max_count; task.first_task += kMaxListTasks) {
    const std::uint32_t count = std::min(kMaxListTasks, all.tasks.max_count - task.first_task);
    launch(
        {.name = "gather_queries", .ctas = count, .threads = kThreads, .stream = stream.handle()},
        gather_queries, task);
    launch({.name = "match_list_panels",
            .ctas = dim3(count, parts_of_list(resident, count)),
            .threads = kProductThreads,
            .shared_memory = bytes,
            .stream = stream.handle()},
           match_list_panels, task, shape);
  }
}

}  // namespace warpdex::vector
