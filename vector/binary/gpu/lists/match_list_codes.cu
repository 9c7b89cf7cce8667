// A list's codes become signed bytes in shared memory, chunk by chunk, and are multiplied with up
// to 128 queries at a time.
//
// Counted for codes of 4 bits: to unpack 64 components of 128 vectors takes a thread some 160
// instructions, 320 cycles of a multiprocessor; their product with 128 queries 250 cycles of the
// tensor cores; to compare a tile's sums with limits some 800. So comparing and unpacking bound it.
#include <cfloat>

#include "binary/gpu/code_value.cuh"
#include "binary/gpu/lists/match_list_codes.hpp"
#include "binary/gpu/staged_lists.cuh"
#include "binary/gpu/unpack_bytes.cuh"
#include "flat/gpu/panel_product.cuh"
#include "lists/gpu/task_panels.cuh"
#include "pq/gpu/search/list_bases.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kWarps = kProductThreads / kWarp;
constexpr std::uint32_t kGroupsOfPanel = kPanelRows / kWarp;
/// Queries that a warp compares with a centroid at a time.
constexpr std::uint32_t kRowsAtOnce = 8;

/// What the rows of sums stand for: the queries of a task.
struct BitRow {
  std::uint32_t query;
  float weight;  ///< of products, which are negative: the query's, negated
  float base;    ///< the centroid's distance
  float limit;
};

/// Sets the weights, bases and limits of the task's queries for the list. `centroid` is room in
/// shared memory. A CTA; ends with a barrier.
__device__ void set_rows(const MatchListCodesTask& task, std::uint32_t number, std::uint32_t list,
                         float* centroid, BitRow (&rows)[kPanelRows]) {
  bring_centroid(task.lists.centroids, list, task.queries.stride, centroid);
  const std::uint32_t dimension = task.lists.codes.dimension;
  for (std::uint32_t first = warp_id() * kRowsAtOnce; first < kPanelRows;
       first += kWarps * kRowsAtOnce) {
    const std::uint32_t* const entries =
        task.tasks.entries + std::size_t{number} * kPanelRows + first;
    const float base =
        task.lists.codes.is_l2
            ? find_bases<true, kRowsAtOnce>(task.queries, dimension, entries, centroid)
            : find_bases<false, kRowsAtOnce>(task.queries, dimension, entries, centroid);
    if (lane_id() % (kWarp / kRowsAtOnce) != 0) continue;
    const std::uint32_t row = first_sum<kRowsAtOnce>();
    const std::uint32_t query = entries[row];
    BitRow own{query, 0, 0, -FLT_MAX};
    if (query != kNoEntry) own = {query, -task.codes.weights[query], base, task.limits[query]};
    rows[first + row] = own;
  }
  __syncthreads();
}

/// Brings the task's queries and unpacked codes to shared memory (PanelProduct).
template <bool kHasFactors>
struct ListBitPanels {
  static constexpr std::uint32_t kValuesOfRow = kHasFactors ? 2 : 1;

  const MatchListCodesTask& task;
  const BitRow* rows;
  std::uint32_t first_group;  ///< of the list
  std::uint32_t group_end;
  std::uint32_t first_panel;  ///< of the list
  std::uint32_t position;     ///< of the list's first vector
  std::uint32_t position_end;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;

  __device__ void bring_left(std::uint32_t to, std::uint32_t chunk) const {
    bring_queries(rows, task.query_panels, chunks, chunk, to);
  }

  /// A thread unpacks 32 components of a vector.
  __device__ void bring_right(std::uint32_t to, std::uint32_t panel, std::uint32_t chunk) const {
    const DeviceBinaryCodes& codes = task.lists.codes;
    const std::uint32_t row = threadIdx.x % kPanelRows;
    const std::uint32_t half = threadIdx.x / kPanelRows;
    const std::uint32_t group = first_group + (panel - first_panel) * kGroupsOfPanel + row / kWarp;
    const std::uint32_t plane = chunk * 2 + half;
    std::uint32_t numbers[8] = {};
    if (plane < codes.plane_words() && group < group_end) {
      std::uint32_t words[kMaxBits];
#pragma unroll
      for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
        words[bit] = bit < codes.bits ? load_word(codes, group, plane * codes.bits + bit) : 0;
      }
      const std::uint32_t last_cell = last_of_four(codes.bits);
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        numbers[i] = __vsub4(unpack_four(words, codes.bits, i), last_cell);
      }
    }
#pragma unroll
    for (std::uint32_t unit = 0; unit < 2; ++unit) {
      store_16_bytes(to + unit_offset(row, half * 2 + unit),
                     uint4{numbers[unit * 4], numbers[unit * 4 + 1], numbers[unit * 4 + 2],
                           numbers[unit * 4 + 3]});
    }
  }

  /// Terms, infinite where there is no vector, or one that is not allowed; and factors.
  __device__ void bring_columns(std::uint32_t to, std::uint32_t panel) const {
    if (threadIdx.x >= kPanelRows) return;
    const std::uint32_t own = position + (panel - first_panel) * kPanelRows + threadIdx.x;
    float term = __int_as_float(0x7F800000);
    float factor = 1;
    if (own < position_end && is_allowed(task.lists.row_numbers[own])) {
      term = task.lists.codes.terms == nullptr ? 0.0F : task.lists.codes.terms[own];
      if (kHasFactors) factor = task.lists.codes.factors[own];
    }
    store_float(to + threadIdx.x * 4, term);
    if (kHasFactors) store_float(to + kColumnBytes + threadIdx.x * 4, factor);
  }

 private:
  __device__ bool is_allowed(std::uint32_t row) const {
    return task.filter == nullptr || (task.filter[row / 64] >> (row % 64) & 1) != 0;
  }
};

/// Adds what is within the limits to the candidates. `position` is that of the panel's first
/// vector.
template <bool kIsL2, bool kHasFactors>
__device__ __forceinline__ void keep_within(const MatchListCodesTask& task,
                                            const BitRow (&rows)[kPanelRows], const ByteSums& sums,
                                            const float* terms, std::uint32_t position,
                                            StagedLists& lists) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    const BitRow own[2] = {rows[row_of_sum(m, 0)], rows[row_of_sum(m, 1)]};
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
      const std::uint32_t column = column_of_sum(i / 2, i % 2);
      const float term = terms[column];
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        float weight = own[half].weight;
        if constexpr (kHasFactors) weight = __fmul_rn(weight, terms[kPanelRows + column]);
        const float product = __int2float_rn(sums[m][i / 2][2 * half + i % 2]);
        const float value = code_value<kIsL2>(weight, own[half].base, product, term);
        if (value <= own[half].limit) {
          lists.add(own[half].query, {value, task.lists.row_numbers[position + column]});
        }
      }
    }
  }
}

/// Work item: a task and a part of its list's panels, a CTA of 8 warps. Shared memory: that of
/// PanelProduct, 2 KiB of rows, 9 KiB of candidates on their way. See above for what bounds it.
template <bool kIsL2, bool kHasFactors>
__global__ void __launch_bounds__(kProductThreads, 2) match_list_panels(MatchListCodesTask task) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  __shared__ StagedTile tiles[3];
  __shared__ BitRow rows[kPanelRows];
  const std::uint32_t number = blockIdx.x;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t list = list_of_panel(task.panel_begins, task.list_count, own.first_panel);
  // The products take that memory later.
  set_rows(task, number, list, reinterpret_cast<float*>(shared), rows);
  using Panels = ListBitPanels<kHasFactors>;
  const std::uint32_t first_panel = task.panel_begins[list];
  const std::uint32_t position = task.lists.begins[list];
  const Panels panels{task,
                      rows,
                      task.lists.group_begins[list],
                      task.lists.group_begins[list + 1],
                      first_panel,
                      position,
                      task.lists.begins[list + 1],
                      task.chunks,
                      own.first_panel + own.panels * blockIdx.y / gridDim.y,
                      own.first_panel + own.panels * (blockIdx.y + 1) / gridDim.y};
  StagedLists lists(task.candidates, tiles);
  PanelProduct<Panels, ByteProduct>(panels, shared)
      .run(
          [](ByteSums& sums) {
#pragma unroll
            for (std::uint32_t i = 0; i < kRowBlocks * kColumnBlocks * 4; ++i) {
              sums[i / (kColumnBlocks * 4)][i / 4 % kColumnBlocks][i % 4] = 0;
            }
          },
          [&](std::uint32_t panel, const ByteSums& sums, const float* terms) {
            lists.begin_tile();
            keep_within<kIsL2, kHasFactors>(task, rows, sums, terms,
                                            position + (panel - first_panel) * kPanelRows, lists);
            lists.end_tile();
          });
  lists.finish();
}

std::uint32_t shared_bytes(std::uint32_t dimension, bool has_factors) {
  return product_shared_bytes(code_chunks(dimension, PanelNumber::kByte), has_factors ? 2 : 1);
}

template <bool kIsL2, bool kHasFactors>
void launch_match(const MatchListCodesTask& task, const Stream& stream) {
  const auto kernel = match_list_panels<kIsL2, kHasFactors>;
  const std::size_t bytes = shared_bytes(task.lists.codes.dimension, kHasFactors);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t resident = resident_ctas(kernel, kProductThreads, bytes);
  launch({.name = "match_list_panels",
          .ctas = dim3(task.tasks.max_count, parts_of_list(resident, task.tasks.max_count)),
          .threads = kProductThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task);
}

}  // namespace

bool can_match_list_codes(std::uint32_t dimension) {
  return std::size_t{dimension + 31} * sizeof(float) <= shared_bytes(dimension, false);
}

void match_list_codes(const MatchListCodesTask& task, const Stream& stream) {
  const bool has_factors = task.lists.codes.factors != nullptr;
  if (task.lists.codes.is_l2) {
    (has_factors ? launch_match<true, true> : launch_match<true, false>)(task, stream);
  } else {
    (has_factors ? launch_match<false, true> : launch_match<false, false>)(task, stream);
  }
}

}  // namespace warpdex::vector
