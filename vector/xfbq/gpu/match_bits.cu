// Queries stay in shared memory while panels of codes pass by.
#include <algorithm>

#include "flat/gpu/panel_product.cuh"
#include "ivf/gpu/append_kept.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "xfbq/gpu/code_value.cuh"
#include "xfbq/gpu/match_bits.hpp"

namespace warpdex::vector {
namespace {

/// Sums of whole numbers begin with these bits: as those of a float, they are 2^23 + 2^22 and what
/// is added. So a product of up to kMaxExactProduct becomes a float by one subtraction.
constexpr std::int32_t kFloatBits = 0x4B400000;

__device__ __forceinline__ float product_of(float sum) { return sum; }
__device__ __forceinline__ float product_of(std::int32_t sum) {
  return __fsub_rn(__int_as_float(sum), __int_as_float(kFloatBits));
}
__device__ __forceinline__ void set_sums(TileSums& sums) { clear_sums(sums); }
__device__ __forceinline__ void set_sums(ByteSums& sums) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) sums[m][n][i] = kFloatBits;
    }
  }
}

/// What a thread holds of the queries of its two rows of a block while codes pass by. A query that
/// there is not keeps nothing.
struct OwnQueries {
  std::uint32_t query[2];
  float weight[2];
  /// No product plus term that is above this gives a distance within the limit, however it is
  /// rounded.
  float bound[2];

  __device__ void load(const MatchBitsTask& task, std::uint32_t m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t own = blockIdx.x * kPanelRows + row_of_sum(m, half);
      const bool exists = own < task.queries.count;
      query[half] = exists ? own : 0;
      weight[half] = -task.queries.weights[query[half]];
      const float base = task.queries.bases[query[half]];
      const float limit = task.limits[query[half]];
      const float size = weight[half] * task.max_factor * static_cast<float>(task.queries.top) +
                         fabsf(base) + fabsf(task.max_term) + fabsf(limit);
      bound[half] = exists ? limit - base + 0x1p-20F * size : -FLT_MAX;
    }
  }
};

/// What queries' weights are times for the codes of a panel.
template <bool kHasFactors>
struct PanelFactors {
  const float* factors;

  __device__ PanelFactors(const MatchBitsTask& task, std::uint32_t panel)
      : factors(task.rows.slacks + std::size_t{panel} * kPanelRows) {}
  __device__ __forceinline__ float weigh(float weight, std::uint32_t column) const {
    if constexpr (kHasFactors) return __fmul_rn(weight, __ldg(factors + column));
    return weight;
  }
};

/// Appends the distances of two rows of a tile that are within their limits.
template <bool kIsL2, bool kHasFactors, class Sums>
__device__ __forceinline__ void keep_within(const MatchBitsTask& task, const OwnQueries& own,
                                            std::uint32_t m, std::uint32_t panel, const Sums& sums,
                                            const float* terms) {
  const PanelFactors<kHasFactors> factors(task, panel);
  std::uint32_t kept[2] = {0, 0};
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const float term = terms[column_of_sum(n, odd)];
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        const float weight = factors.weigh(own.weight[half], column_of_sum(n, odd));
        const float about = fmaf(weight, product_of(sums[m][n][2 * half + odd]), term);
        if (about <= own.bound[half]) kept[half] |= 1U << (2 * n + odd);
      }
    }
  }
  if (!__any_sync(kWholeWarp, (kept[0] | kept[1]) != 0)) return;
  float base[2];
  float limit[2];
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    base[half] = task.queries.bases[own.query[half]];
    limit[half] = task.limits[own.query[half]];
  }
  const auto value_of = [&](std::uint32_t i, std::uint32_t half) {
    const std::uint32_t column = column_of_sum(i / 2, i % 2);
    return code_value<kIsL2>(factors.weigh(own.weight[half], column), base[half],
                             product_of(sums[m][i / 2][2 * half + i % 2]), terms[column]);
  };
#pragma unroll
  for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((kept[half] >> i & 1) == 0) continue;
      if (!(value_of(i, half) <= limit[half])) kept[half] &= ~(1U << i);
    }
  }
  append_kept(task.lists, kept, own.query, task.first_place + panel * kPanelRows, value_of);
}

/// Writes all distances of two rows of a tile.
template <bool kIsL2, bool kHasFactors, class Sums>
__device__ __forceinline__ void keep_all(const MatchBitsTask& task, const OwnQueries& own,
                                         std::uint32_t m, std::uint32_t panel, const Sums& sums,
                                         const float* terms) {
  const PanelFactors<kHasFactors> factors(task, panel);
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    if (blockIdx.x * kPanelRows + row_of_sum(m, half) >= task.queries.count) continue;
    Candidate* const list = task.lists.candidates + own.query[half] * task.lists.capacity;
    const float base = task.queries.bases[own.query[half]];
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
      const std::uint32_t column = column_of_sum(i / 2, i % 2);
      const std::uint32_t place = panel * kPanelRows + column;
      list[place] = {code_value<kIsL2>(factors.weigh(own.weight[half], column), base,
                                       product_of(sums[m][i / 2][2 * half + i % 2]), terms[column]),
                     task.first_place + place};
    }
  }
}

/// Work item: a panel of queries and a share of the panels of codes, a CTA of 8 warps. Shared
/// memory: the queries (up to 256 components), and 4 chunks of codes. The tensor cores bound it.
template <bool kIsL2, bool kHasFactors, class Product>
__global__ void __launch_bounds__(kProductThreads, 2) match_code_panels(MatchBitsTask task) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const auto part = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(std::uint64_t{task.row_panels} * number / gridDim.y);
  };
  OwnQueries own[kRowBlocks];
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) own[m].load(task, m);
  const ProductTask product{task.query_panels + std::size_t{blockIdx.x} * task.chunks * kChunkBytes,
                            task.rows.halves,
                            task.rows.offsets,
                            task.chunks,
                            part(blockIdx.y),
                            part(blockIdx.y + 1)};
  using Sums = typename Product::Sums;
  PanelProduct<ProductTask, Product>(product, shared)
      .run([](Sums& sums) { set_sums(sums); },
           [&](std::uint32_t panel, const Sums& sums, const float* terms) {
#pragma unroll
             for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
               if (task.takes_all) {
                 keep_all<kIsL2, kHasFactors>(task, own[m], m, panel, sums, terms);
               } else {
                 keep_within<kIsL2, kHasFactors>(task, own[m], m, panel, sums, terms);
               }
             }
           });
}

using MatchKernel = void (*)(MatchBitsTask);

template <bool kIsL2, bool kHasFactors>
MatchKernel choose_kernel(PanelNumber number) {
  return number == PanelNumber::kByte ? match_code_panels<kIsL2, kHasFactors, ByteProduct>
                                      : match_code_panels<kIsL2, kHasFactors, TileProduct>;
}

}  // namespace

void match_bits(const MatchBitsTask& task, const Stream& stream) {
  const bool has_factors = task.rows.slacks != nullptr;
  const auto choose =
      task.is_l2 ? (has_factors ? choose_kernel<true, true> : choose_kernel<true, false>)
                 : (has_factors ? choose_kernel<false, true> : choose_kernel<false, false>);
  const MatchKernel kernel = choose(task.number);
  const std::size_t bytes = product_shared_bytes(task.chunks);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t query_panels = (task.queries.count + kPanelRows - 1) / kPanelRows;
  const std::uint32_t resident = resident_ctas(kernel, kProductThreads, bytes);
  constexpr std::uint32_t kRounds = 4;
  const std::uint32_t parts = std::clamp(kRounds * resident / query_panels, 1U, task.row_panels);
  launch({.name = "match_code_panels",
          .ctas = dim3(query_panels, std::min(parts, 65'535U)),
          .threads = kProductThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task);
}

}  // namespace warpdex::vector
