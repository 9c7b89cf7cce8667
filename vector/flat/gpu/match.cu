// Products of all rows and queries; only what is within a query's limit leaves the registers.
#include <algorithm>

#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/panel_product.cuh"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

/// Appends the sums of a tile that are within their limits.
__device__ __forceinline__ void keep_within(const MatchTask& task, std::uint32_t panel,
                                            const TileSums& sums, const float* limits) {
  const std::uint32_t first_place = task.first_place + blockIdx.x * kPanelRows;
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const std::uint32_t column = column_of_sum(n, odd);
      const float limit = limits[column];
      float lowest = sums[0][n][odd];
#pragma unroll
      for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
        lowest = fminf(lowest, fminf(sums[m][n][odd], sums[m][n][2 + odd]));
      }
      if (lowest > limit) continue;
#pragma unroll
      for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
        for (std::uint32_t half = 0; half < 2; ++half) {
          const float sum = sums[m][n][2 * half + odd];
          if (sum > limit) continue;
          append(task.lists, panel * kPanelRows + column, sum, first_place + row_of_sum(m, half));
        }
      }
    }
  }
}

/// Writes all sums of a tile.
__device__ __forceinline__ void keep_all(const MatchTask& task, std::uint32_t panel,
                                         const TileSums& sums) {
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const std::uint32_t query = panel * kPanelRows + column_of_sum(n, odd);
      if (query >= task.query_count) continue;
#pragma unroll
      for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
        for (std::uint32_t half = 0; half < 2; ++half) {
          const std::uint32_t row = blockIdx.x * kPanelRows + row_of_sum(m, half);
          task.lists.candidates[query * task.lists.capacity + row] = {sums[m][n][2 * half + odd],
                                                                      task.first_place + row};
        }
      }
    }
  }
}

/// Work item: a panel of rows and `group` panels of queries, a CTA of 8 warps. Shared memory: the
/// rows (up to 256 components), and 4 chunks of queries. The tensor cores bound it.
__global__ void __launch_bounds__(kProductThreads, 2)
    match_panels(MatchTask task, ProductShape shape, std::uint32_t group) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const std::uint32_t query_panels = (task.query_count + kPanelRows - 1) / kPanelRows;
  const ProductTask product{task.rows.halves + std::size_t{blockIdx.x} * task.chunks * kChunkBytes,
                            task.queries.halves,
                            task.queries.limits,
                            task.chunks,
                            blockIdx.y * group,
                            min((blockIdx.y + 1) * group, query_panels)};
  float offsets[kRowBlocks][2];
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    offsets[m][0] = task.rows.offsets[blockIdx.x * kPanelRows + row_of_sum(m, 0)];
    offsets[m][1] = task.rows.offsets[blockIdx.x * kPanelRows + row_of_sum(m, 1)];
  }
  PanelProduct(product, shape, shared)
      .run(
          [&](TileSums& sums) {
#pragma unroll
            for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
              for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
                sums[m][n][0] = sums[m][n][1] = offsets[m][0];
                sums[m][n][2] = sums[m][n][3] = offsets[m][1];
              }
            }
          },
          [&](std::uint32_t panel, const TileSums& sums, const float* limits) {
            if (task.takes_all) {
              keep_all(task, panel, sums);
            } else {
              keep_within(task, panel, sums, limits);
            }
          });
}

/// Panels of queries for a CTA: enough that loading the rows costs little, and few enough that all
/// multiprocessors have work.
std::uint32_t choose_group(std::uint32_t row_panels, std::uint32_t query_panels,
                           std::uint32_t resident) {
  constexpr std::uint32_t kRounds = 4;
  const std::uint32_t wanted = std::max(1U, kRounds * resident / row_panels);
  const std::uint32_t groups = std::min(query_panels, wanted);
  return (query_panels + groups - 1) / groups;
}

}  // namespace

void match(const MatchTask& task, const Stream& stream) {
  const ProductShape shape = product_shape(1, 0);
  const std::size_t bytes = shape.bytes(task.chunks);
  allow_all_shared_memory(reinterpret_cast<const void*>(match_panels));
  const std::uint32_t query_panels = (task.query_count + kPanelRows - 1) / kPanelRows;
  const std::uint32_t group = choose_group(task.row_panels, query_panels,
                                           resident_ctas(match_panels, kProductThreads, bytes));
  launch({.name = "match_panels",
          .ctas = dim3(task.row_panels, (query_panels + group - 1) / group),
          .threads = kProductThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         match_panels, task, shape, group);
}

}  // namespace warpdex::vector
