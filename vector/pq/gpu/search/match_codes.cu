// Each list is compared with all queries that probe it at once: its codes are decoded to halves in
// shared memory, chunk by chunk, for up to 128 of them.
//
// A vector of d components costs d look-ups in the codebooks, each of two bytes at a random place:
// some 3.5 turns of shared memory for 32 of them, so d / 9.1 cycles, and some 6 instructions. The
// products of 128 queries take d / 16 cycles of the tensor cores. So decoding bounds it; for 10 M
// vectors of 96 components look-ups alone take 0.5 ms on an H100. Reading the codes (36 bytes each)
// takes a quarter of that.
#include <cfloat>

#include "flat/gpu/panel_product.cuh"
#include "lists/gpu/append_kept.cuh"
#include "pq/gpu/search/code_panels.cuh"
#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/list_bases.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kWarps = kProductThreads / kWarp;
/// Queries that a warp compares with a centroid at a time.
constexpr std::uint32_t kRowsAtOnce = 8;

__host__ __device__ constexpr std::uint32_t units_of(std::uint32_t dimension) {
  return (dimension + kUnitHalves - 1) / kUnitHalves;
}

/// Shared memory beside that of the product: the rows, where codes lie, the codebooks.
struct Extra {
  RowRules* rows;
  UnitCodes* units;
  std::uint16_t* books;

  static constexpr std::size_t bytes(std::uint32_t dimension, std::uint32_t bits, bool has_books) {
    const std::size_t units = units_of(dimension);
    return kPanelRows * sizeof(RowRules) + units * sizeof(UnitCodes) +
           (has_books ? (units * kUnitHalves << bits) * 2 : 0);
  }
  __device__ Extra(std::uint8_t* memory, std::uint32_t dimension)
      : rows(reinterpret_cast<RowRules*>(memory)),
        units(reinterpret_cast<UnitCodes*>(rows + kPanelRows)),
        books(reinterpret_cast<std::uint16_t*>(units + units_of(dimension))) {}
};

/// Sets the weights, bases and limits of the task's queries for the list. `centroid` is room in
/// shared memory. A CTA; ends with a barrier.
template <bool kIsL2>
__device__ void set_rows(const MatchCodesTask& task, std::uint32_t number, std::uint32_t list,
                         float* centroid, RowRules* rows) {
  bring_centroid(task.codes.centroids, list, task.queries.stride, centroid);
  for (std::uint32_t first = warp_id() * kRowsAtOnce; first < kPanelRows;
       first += kWarps * kRowsAtOnce) {
    const std::uint32_t* const entries =
        task.tasks.entries + std::size_t{number} * kPanelRows + first;
    const std::uint32_t dimension = task.codes.dimension;
    const float base = find_bases<kIsL2, kRowsAtOnce>(task.queries, dimension, entries, centroid);
    if (lane_id() % (kWarp / kRowsAtOnce) != 0) continue;
    const std::uint32_t row = first_sum<kRowsAtOnce>();
    const std::uint32_t query = entries[row];
    const float limit = query == kNoEntry ? -FLT_MAX : task.panels.limits[query];
    RowRules rules{query, 1, 0, -FLT_MAX};
    if (limit > -FLT_MAX) {
      rules.weight = task.panels.scales[query];
      rules.base = rules.weight * base;
      rules.limit = kIsL2 ? __fsub_rn(limit, rules.base) : limit;
    }
    rows[first + row] = rules;
  }
  __syncthreads();
}

/// A sum without its base; for products a sum.
template <bool kIsL2>
__device__ __forceinline__ float partial_sum(const RowRules& rules, float term, float product) {
  if constexpr (kIsL2) return __fmaf_rn(rules.weight, term, product);
  return __fmul_rn(__fadd_rn(product, rules.base), term);
}

/// The sums of a thread within two rows of a tile: bit 2 * n + odd of kept[half] is set if that one
/// is within the limit.
template <bool kIsL2>
__device__ __forceinline__ void find_kept(const RowRules (&rules)[2], const TileSums& sums,
                                          const float* terms, std::uint32_t m,
                                          std::uint32_t (&kept)[2]) {
  kept[0] = kept[1] = 0;
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const float term = terms[column_of_sum(n, odd)];
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        const float sum = partial_sum<kIsL2>(rules[half], term, sums[m][n][2 * half + odd]);
        if (sum <= rules[half].limit) kept[half] |= 1U << (2 * n + odd);
      }
    }
  }
}

/// Adds what is within the limits to the candidates. `place` is that of the panel's first vector.
template <bool kIsL2>
__device__ __forceinline__ void keep_within(const MatchCodesTask& task, const RowRules* rows,
                                            const TileSums& sums, const float* terms,
                                            std::uint32_t place) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    const RowRules rules[2] = {rows[row_of_sum(m, 0)], rows[row_of_sum(m, 1)]};
    std::uint32_t kept[2];
    find_kept<kIsL2>(rules, sums, terms, m, kept);
    if (!__any_sync(kWholeWarp, (kept[0] | kept[1]) != 0)) continue;
    const std::uint32_t query[2] = {rules[0].query, rules[1].query};
    append_kept(task.lists, kept, query, place, [&](std::uint32_t i, std::uint32_t half) {
      const float sum = partial_sum<kIsL2>(rules[half], terms[column_of_sum(i / 2, i % 2)],
                                           sums[m][i / 2][2 * half + i % 2]);
      return kIsL2 ? fmaxf(__fadd_rn(sum, rules[half].base), 0.0F) : sum;
    });
  }
}

/// Work item: a task and a part of its list's panels, a CTA of 8 warps. Shared memory: that of
/// PanelProduct, 2 KiB of rows, and the codebooks (512 bytes a component) if they fit. See above
/// for what bounds it.
template <bool kIsL2, bool kIs8Bits, bool kHasBooks>
__global__ void __launch_bounds__(kProductThreads, 2)
    match_code_panels(MatchCodesTask task, ProductShape shape) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const std::uint32_t number = blockIdx.x;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t dimension = task.codes.coded_dimension;
  const std::uint32_t chunks = panel_chunks(dimension);
  const Extra extra(shared + shape.bytes(chunks), dimension);
  const std::uint32_t list = list_of_panel(task.panel_begins, task.codes.lists, own.first_panel);
  // The products take that memory later.
  set_rows<kIsL2>(task, number, list, reinterpret_cast<float*>(shared), extra.rows);
  for (std::uint32_t i = threadIdx.x; i < units_of(dimension); i += kProductThreads) {
    extra.units[i] = task.units[i];
  }
  if constexpr (kHasBooks) {
    const std::uint32_t units = units_of(dimension) << task.codes.bits;
    for (std::uint32_t i = threadIdx.x; i < units; i += kProductThreads) {
      reinterpret_cast<uint4*>(extra.books)[i] = reinterpret_cast<const uint4*>(task.half_books)[i];
    }
  }
  __syncthreads();
  const std::uint32_t first_group = task.codes.group_begins[list];
  const std::uint32_t first_panel = task.panel_begins[list];
  const CodePanels<kIsL2, kIs8Bits> panels{
      task,
      extra.rows,
      extra.units,
      kHasBooks ? extra.books : task.half_books,
      first_group,
      first_panel,
      task.codes.begins[list],
      task.codes.begins[list + 1],
      chunks,
      own.first_panel + own.panels * blockIdx.y / gridDim.y,
      own.first_panel + own.panels * (blockIdx.y + 1) / gridDim.y};
  PanelProduct(panels, shape, shared)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* terms) {
        const std::uint32_t group = first_group + (panel - first_panel) * kGroupsOfPanel;
        keep_within<kIsL2>(task, extra.rows, sums, terms, group * kGroupVectors);
      });
}

ProductShape shape_of(std::uint32_t dimension) {
  return product_shape(1, Extra::bytes(dimension, 8, false));
}

std::size_t shared_bytes(std::uint32_t dimension, std::uint32_t bits, bool has_books) {
  return shape_of(dimension).bytes(panel_chunks(dimension)) +
         Extra::bytes(dimension, bits, has_books);
}

template <bool kIsL2, bool kIs8Bits, bool kHasBooks>
void launch_match(const MatchCodesTask& task, const Stream& stream) {
  const auto kernel = match_code_panels<kIsL2, kIs8Bits, kHasBooks>;
  const std::uint32_t dimension = task.codes.coded_dimension;
  const std::size_t bytes = shared_bytes(dimension, task.codes.bits, kHasBooks);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t resident = resident_ctas(kernel, kProductThreads, bytes);
  launch({.name = "match_code_panels",
          .ctas = dim3(task.tasks.max_count, parts_of_list(resident, task.tasks.max_count)),
          .threads = kProductThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task, shape_of(dimension));
}

template <bool kIs8Bits, bool kHasBooks>
void match_metric(const MatchCodesTask& task, const Stream& stream) {
  (task.codes.is_l2 ? launch_match<true, kIs8Bits, kHasBooks>
                    : launch_match<false, kIs8Bits, kHasBooks>)(task, stream);
}

}  // namespace

bool can_match_codes(std::uint32_t dimension, std::uint32_t coded_dimension,
                     std::size_t shared_memory) {
  // The panels' memory first holds a centroid.
  const bool holds_centroid = std::size_t{dimension + 31} * sizeof(float) <=
                              shape_of(coded_dimension).bytes(panel_chunks(coded_dimension));
  return holds_centroid && shared_bytes(coded_dimension, 8, false) <= shared_memory;
}

void match_codes(const MatchCodesTask& task, const Stream& stream) {
  const bool has_books =
      shared_bytes(task.codes.coded_dimension, task.codes.bits, true) <= task.shared_memory;
  if (task.codes.bits == 8) {
    (has_books ? match_metric<true, true> : match_metric<true, false>)(task, stream);
  } else {
    (has_books ? match_metric<false, true> : match_metric<false, false>)(task, stream);
  }
}

}  // namespace warpdex::vector
