// Queries stay in shared memory; panels of codes are read one after the other.
#include <algorithm>
#include <cfloat>
#include <type_traits>

#include "binary/gpu/kernels.hpp"
#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/panel_product.cuh"
#include "integer_codes/gpu/code_value.cuh"
#include "integer_codes/gpu/staged_lists.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

/// Sums of whole numbers begin with these bits: as those of a float, they are 2^23 + 2^22 and what
/// is added. So a product of up to kMaxExactProduct becomes a float by one subtraction.
constexpr std::int32_t kFloatBits = 0x4B400000;

constexpr float kFloatShift = 0x1.8p23F;  // the float of these bits

__device__ __forceinline__ float product_of(float sum) { return sum; }
__device__ __forceinline__ float product_of(std::int32_t sum) {
  return __fsub_rn(__int_as_float(sum), __int_as_float(kFloatBits));
}
/// The same with kFloatShift still in it.
__device__ __forceinline__ float shifted_product(float sum) { return sum; }
__device__ __forceinline__ float shifted_product(std::int32_t sum) { return __int_as_float(sum); }
template <class Sum>
constexpr float kShiftOf = std::is_same_v<Sum, float> ? 0.0F : kFloatShift;

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

/// What a thread holds of the queries of its two rows of a block while it goes through the codes.
/// Rows past the last query keep nothing.
///
/// A distance is w h p + t + b, with w the query's weight, h the vector's factor (1 without
/// corrections), p the product, t the vector's term and b the query's base. It is within the limit
/// L only if w p + t/h - (L - b)/h is at most 0, up to rounding, for which there is a slack. Panels
/// bring t/h and 1/h. For products t is times the query's share; so all else is divided by it,
/// which is rounded once more.
template <bool kIsL2>
struct OwnQueries {
  static constexpr float kSlack = kIsL2 ? 0x1p-20F : 0x1p-19F;

  std::uint32_t query[2];
  float weight[2];
  float bound[2];  ///< L - b, and the slack
  float shift[2];  ///< what shifted products have too much, times the weight, and how far
                   ///< rounding takes that; NaN for no query

  __device__ void load(const MatchBitsTask& task, std::uint32_t m, float shift_of_sums) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t own = blockIdx.x * kPanelRows + row_of_sum(m, half);
      const bool exists = own < task.queries.count;
      query[half] = exists ? own : 0;
      weight[half] = -task.queries.weights[query[half]];
      const float base = task.queries.bases[query[half]];
      const float limit = task.limits[query[half]];
      const float share = kIsL2 ? 1.0F : share_of(task.queries.shares, query[half]);
      const float size = weight[half] * task.max_factor * static_cast<float>(task.queries.top) +
                         fabsf(base) + share * fabsf(task.max_term) + fabsf(limit);
      bound[half] = limit - base + kSlack * size;
      if constexpr (!kIsL2) {
        weight[half] /= share;
        bound[half] /= share;
      }
      // No comparison with NaN holds.
      shift[half] = exists ? weight[half] * shift_of_sums * (1 + 0x1p-21F) : nanf("");
    }
  }
};

/// The values that come with a panel's rows: t/h, and with corrections 1/h.
template <bool kIsL2, bool kHasFactors>
struct PanelValues {
  const float* terms;

  /// A distance may be within the query's limit only if this is at most excess_limit().
  template <class Sum>
  __device__ __forceinline__ float excess(const OwnQueries<kIsL2>& own, std::uint32_t half, Sum sum,
                                          std::uint32_t column) const {
    const float about = fmaf(own.weight[half], shifted_product(sum), terms[column]);
    if constexpr (!kHasFactors) return about;
    return fmaf(-own.bound[half], terms[kPanelRows + column], about);
  }
  static __device__ __forceinline__ float excess_limit(const OwnQueries<kIsL2>& own,
                                                       std::uint32_t half) {
    return kHasFactors ? own.shift[half] : own.bound[half] + own.shift[half];
  }
};

/// In shared memory, what is needed of queries where a distance may be within the limit: a read of
/// global memory would hold up all warps.
template <bool kIsL2>
struct SharedQueries {
  static constexpr std::uint32_t kShares = kIsL2 ? 1 : kPanelRows;

  float bases[kPanelRows];
  float limits[kPanelRows];
  float weights[kShares];  ///< for products
  float shares[kShares];

  /// All threads, before a barrier.
  __device__ void load(const MatchBitsTask& task) {
    const std::uint32_t query = blockIdx.x * kPanelRows + threadIdx.x;
    if (threadIdx.x >= kPanelRows || query >= task.queries.count) return;
    bases[threadIdx.x] = task.queries.bases[query];
    limits[threadIdx.x] = task.limits[query];
    if constexpr (!kIsL2) {
      weights[threadIdx.x] = -task.queries.weights[query];
      shares[threadIdx.x] = share_of(task.queries.shares, query);
    }
  }
};

/// The distance of a row of a panel and a query, whose number among the CTA's is `place` and whose
/// weight for l2 is `weight`. `term` as in PanelValues.
template <bool kIsL2, bool kHasFactors, class Sum>
__device__ __forceinline__ float value_of(const MatchBitsTask& task,
                                          const SharedQueries<kIsL2>& queries, std::uint32_t place,
                                          float weight, Sum sum, std::uint32_t row, float term) {
  if constexpr (!kIsL2) weight = queries.weights[place];
  if constexpr (kHasFactors) {
    weight = __fmul_rn(weight, __ldg(task.rows.slacks + row));
    term = __ldg(task.rows.offsets + row);
  }
  if constexpr (!kIsL2) term = __fmul_rn(queries.shares[place], term);
  return code_value<kIsL2>(weight, queries.bases[place], product_of(sum), term);
}

/// Appends the distances of two rows of a tile that are within their limits.
template <bool kIsL2, bool kHasFactors, class Sums>
__device__ __forceinline__ void keep_within(const MatchBitsTask& task, const OwnQueries<kIsL2>& own,
                                            std::uint32_t m, std::uint32_t panel, const Sums& sums,
                                            const float* terms, const SharedQueries<kIsL2>& queries,
                                            StagedLists& lists) {
  const PanelValues<kIsL2, kHasFactors> values{terms};
  const float most[2] = {values.excess_limit(own, 0), values.excess_limit(own, 1)};
  constexpr std::uint32_t kBlocksAtOnce = 4;
  static_assert(kColumnBlocks % kBlocksAtOnce == 0);
#pragma unroll
  for (std::uint32_t first = 0; first < kColumnBlocks; first += kBlocksAtOnce) {
    // Most tiles have nothing for most threads, so the smallest are found before all are looked at.
    float lowest[2] = {FLT_MAX, FLT_MAX};
#pragma unroll
    for (std::uint32_t i = 2 * first; i < 2 * (first + kBlocksAtOnce); ++i) {
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        lowest[half] =
            fminf(lowest[half], values.excess(own, half, sums[m][i / 2][2 * half + i % 2],
                                              column_of_sum(i / 2, i % 2)));
      }
    }
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      if (!(lowest[half] <= most[half])) continue;
#pragma unroll
      for (std::uint32_t i = 2 * first; i < 2 * (first + kBlocksAtOnce); ++i) {
        const auto sum = sums[m][i / 2][2 * half + i % 2];
        const std::uint32_t column = column_of_sum(i / 2, i % 2);
        if (!(values.excess(own, half, sum, column) <= most[half])) continue;
        const std::uint32_t row = panel * kPanelRows + column;
        const std::uint32_t query = row_of_sum(m, half);
        const float value = value_of<kIsL2, kHasFactors>(task, queries, query, own.weight[half],
                                                         sum, row, terms[column]);
        if (value <= queries.limits[query]) {
          lists.add(own.query[half], {value, task.first_place + row});
        }
      }
    }
  }
}

/// Writes all distances of two rows of a tile.
template <bool kIsL2, bool kHasFactors, class Sums>
__device__ __forceinline__ void keep_all(const MatchBitsTask& task, const OwnQueries<kIsL2>& own,
                                         std::uint32_t m, std::uint32_t panel, const Sums& sums,
                                         const float* terms, const SharedQueries<kIsL2>& queries) {
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    if (blockIdx.x * kPanelRows + row_of_sum(m, half) >= task.queries.count) continue;
    Candidate* const list = task.lists.candidates + own.query[half] * task.lists.capacity;
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
      const std::uint32_t column = column_of_sum(i / 2, i % 2);
      const std::uint32_t row = panel * kPanelRows + column;
      const float value =
          value_of<kIsL2, kHasFactors>(task, queries, row_of_sum(m, half), own.weight[half],
                                       sums[m][i / 2][2 * half + i % 2], row, terms[column]);
      list[row] = {value, task.first_place + row};
    }
  }
}

/// Work item: a panel of queries and a share of the panels of codes, a CTA of 8 warps. Shared
/// memory: the queries (up to 256 components), and 4 chunks of codes. The tensor cores bound it.
template <bool kIsL2, bool kHasFactors, bool kTakesAll, class Product>
__global__ void __launch_bounds__(kProductThreads, 2)
    match_code_panels(MatchBitsTask task, ProductShape shape) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  __shared__ StagedTile tiles[3];
  __shared__ SharedQueries<kIsL2> queries;
  queries.load(task);
  using Task = ProductTaskOf<kHasFactors ? 2 : 1>;
  using Sums = typename Product::Sums;
  using Sum = std::remove_all_extents_t<Sums>;
  const auto part = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(std::uint64_t{task.row_panels} * number / gridDim.y);
  };
  OwnQueries<kIsL2> own[kRowBlocks];
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) own[m].load(task, m, kShiftOf<Sum>);
  const Task product{task.query_panels + std::size_t{blockIdx.x} * task.chunks * kChunkBytes,
                     task.rows.halves,
                     task.columns,
                     task.chunks,
                     part(blockIdx.y),
                     part(blockIdx.y + 1)};
  StagedLists lists(task.lists, tiles);
  PanelProduct<Task, Product>(product, shape, shared)
      .run([](Sums& sums) { set_sums(sums); },
           [&](std::uint32_t panel, const Sums& sums, const float* terms) {
             lists.begin_tile();
#pragma unroll
             for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
               if constexpr (kTakesAll) {
                 keep_all<kIsL2, kHasFactors>(task, own[m], m, panel, sums, terms, queries);
               } else {
                 keep_within<kIsL2, kHasFactors>(task, own[m], m, panel, sums, terms, queries,
                                                 lists);
               }
             }
             lists.end_tile();
           });
  lists.finish();
}

using MatchKernel = void (*)(MatchBitsTask, ProductShape);

template <bool kIsL2, bool kHasFactors>
MatchKernel choose_kernel(const MatchBitsTask& task) {
  const auto choose = [&]<bool kTakesAll>() -> MatchKernel {
    if (task.number == PanelNumber::kByte) {
      return match_code_panels<kIsL2, kHasFactors, kTakesAll, ByteProduct>;
    }
    return match_code_panels<kIsL2, kHasFactors, kTakesAll, TileProduct>;
  };
  return task.takes_all ? choose.template operator()<true>() : choose.template operator()<false>();
}

}  // namespace

void match_bits(const MatchBitsTask& task, const Stream& stream) {
  const bool has_factors = task.rows.slacks != nullptr;
  const auto choose =
      task.is_l2 ? (has_factors ? choose_kernel<true, true> : choose_kernel<true, false>)
                 : (has_factors ? choose_kernel<false, true> : choose_kernel<false, false>);
  const MatchKernel kernel = choose(task);
  const std::uint32_t values = has_factors ? 2 : 1;
  const ProductShape shape =
      product_shape(values, 3 * sizeof(StagedTile) + sizeof(SharedQueries<false>));
  const std::size_t bytes = shape.bytes(task.chunks, values);
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
         kernel, task, shape);
}

}  // namespace warpdex::vector
