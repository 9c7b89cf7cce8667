// A list's codes as signed bytes in shared memory, chunk by chunk, multiplied with up to 128
// queries at a time.
#pragma once

#include <cfloat>
#include <cstdint>
#include <type_traits>

#include "flat/gpu/panel_product.cuh"
#include "integer_codes/gpu/code_panels.hpp"
#include "integer_codes/gpu/code_value.cuh"
#include "integer_codes/gpu/staged_lists.cuh"
#include "lists/gpu/codes/code_tasks.hpp"
#include "lists/gpu/task_panels.cuh"
#include "pq/gpu/search/list_bases.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kMatchWarps = kProductThreads / kWarp;
inline constexpr std::uint32_t kListPanelGroups = kPanelRows / kWarp;

/// What the rows of sums stand for: the queries of a task.
struct ListQueryRow {
  std::uint32_t query;
  float weight;  ///< of products
  float base;    ///< what distances have beside products and terms
  float limit;
};

/// Where terms of products are multiplied.
struct SharedQueryRow : ListQueryRow {
  float share;  ///< above 0, so that infinite terms stay
};

template <class Form>
concept HasShares = requires(const typename Form::Codes::Queries& queries) {
  Form::share(queries, 0U);
};

template <class Form, bool kIsL2>
using RowOf = std::conditional_t<HasShares<Form> && !kIsL2, SharedQueryRow, ListQueryRow>;

__device__ __forceinline__ float term_of_row(const ListQueryRow& /*row*/, float term) {
  return term;
}
__device__ __forceinline__ float term_of_row(const SharedQueryRow& row, float term) {
  return __fmul_rn(row.share, term);
}

/// Sets the weights, bases and limits of the task's queries for the list. `centroid` is room in
/// shared memory. A CTA; ends with a barrier.
template <class Form, class Row>
__device__ void set_rows(const MatchListCodesTask<typename Form::Codes>& task, std::uint32_t number,
                         std::uint32_t list, float* centroid, Row (&rows)[kPanelRows]) {
  constexpr std::uint32_t kRowsAtOnce = 8;  // queries that a warp compares with a centroid
  bring_centroid(task.lists.centroids, list, task.queries.stride, centroid);
  const std::uint32_t dimension = task.lists.codes.dimension;
  for (std::uint32_t first = warp_id() * kRowsAtOnce; first < kPanelRows;
       first += kMatchWarps * kRowsAtOnce) {
    const std::uint32_t* const entries =
        task.tasks.entries + std::size_t{number} * kPanelRows + first;
    const float base =
        task.lists.codes.is_l2
            ? find_bases<true, kRowsAtOnce>(task.queries, dimension, entries, centroid)
            : find_bases<false, kRowsAtOnce>(task.queries, dimension, entries, centroid);
    if (lane_id() % (kWarp / kRowsAtOnce) != 0) continue;
    const std::uint32_t row = first_sum<kRowsAtOnce>();
    const std::uint32_t query = entries[row];
    Row own{};
    static_cast<ListQueryRow&>(own) = {query, 0, 0, -FLT_MAX};
    if (query != kNoEntry) {
      static_cast<ListQueryRow&>(own) = {
          query, Form::weight(task.lists.codes, task.codes, query, list),
          Form::base(task.lists.codes, task.codes, query, list, base), task.limits[query]};
    }
    if constexpr (std::is_same_v<Row, SharedQueryRow>) {
      own.share = query == kNoEntry ? 1.0F : Form::share(task.codes, query);
    }
    rows[first + row] = own;
  }
  __syncthreads();
}

/// Brings the task's queries and codes to shared memory (PanelProduct).
template <class Form, class Row>
struct ListCodePanels {
  static constexpr std::uint32_t kValuesOfRow = Form::kHasFactors ? 2 : 1;

  const MatchListCodesTask<typename Form::Codes>& task;
  const Row* rows;
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

  /// A thread brings 32 components of a vector.
  __device__ void bring_right(std::uint32_t to, std::uint32_t panel, std::uint32_t chunk) const {
    const std::uint32_t row = threadIdx.x % kPanelRows;
    const std::uint32_t half = threadIdx.x / kPanelRows;
    const std::uint32_t group =
        first_group + (panel - first_panel) * kListPanelGroups + row / kWarp;
    Form::bring(task.lists.codes, group, group < group_end, chunk * 2 + half,
                to + unit_offset(row, half * 2), to + unit_offset(row, half * 2 + 1));
  }

  /// Terms, infinite where there is no vector, or one that is not allowed; and factors.
  __device__ void bring_columns(std::uint32_t to, std::uint32_t panel) const {
    if (threadIdx.x >= kPanelRows) return;
    const std::uint32_t own = position + (panel - first_panel) * kPanelRows + threadIdx.x;
    float term = __int_as_float(0x7F800000);
    float factor = 1;
    if (own < position_end && is_allowed(task.lists.row_numbers[own])) {
      term = task.lists.codes.terms == nullptr ? 0.0F : task.lists.codes.terms[own];
      if constexpr (Form::kHasFactors) factor = task.lists.codes.factors[own];
    }
    store_float(to + threadIdx.x * 4, term);
    if (Form::kHasFactors) store_float(to + kColumnBytes + threadIdx.x * 4, factor);
  }

 private:
  __device__ bool is_allowed(std::uint32_t row) const {
    return task.filter == nullptr || (task.filter[row / 64] >> (row % 64) & 1) != 0;
  }
};

/// Adds what is within the limits to the candidates. `row_numbers` begin with that of the panel's
/// first vector.
template <bool kIsL2, bool kHasFactors, class Row>
__device__ __forceinline__ void keep_within(const std::uint32_t* row_numbers,
                                            const Row (&rows)[kPanelRows], const ByteSums& sums,
                                            const float* terms, StagedLists& lists) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    const Row own[2] = {rows[row_of_sum(m, 0)], rows[row_of_sum(m, 1)]};
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
      const std::uint32_t column = column_of_sum(i / 2, i % 2);
      const float term = terms[column];
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        float weight = own[half].weight;
        if constexpr (kHasFactors) weight = __fmul_rn(weight, terms[kPanelRows + column]);
        const float product = __int2float_rn(sums[m][i / 2][2 * half + i % 2]);
        const float value =
            code_value<kIsL2>(weight, own[half].base, product, term_of_row(own[half], term));
        if (value <= own[half].limit) lists.add(own[half].query, {value, row_numbers[column]});
      }
    }
  }
}

/// Work item: a task and a part of its list's panels, a CTA of 8 warps. Shared memory: that of
/// PanelProduct, 2 KiB of rows, 9 KiB of candidates on their way. A Form says what bounds it. It
/// has, of its Codes: weight() and base() of a query in a list, share(), by which terms of products
/// are multiplied, if there are some, kHasFactors, and bring(), which writes the two units of 32
/// components of the lane's vector, zeros where it does not exist.
template <class Form, bool kIsL2>
__global__ void __launch_bounds__(kProductThreads, 2)
    match_list_panels(MatchListCodesTask<typename Form::Codes> task, ProductShape shape) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  __shared__ StagedTile tiles[3];
  using Row = RowOf<Form, kIsL2>;
  __shared__ Row rows[kPanelRows];
  const std::uint32_t number = blockIdx.x;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t list = list_of_panel(task.panel_begins, task.list_count, own.first_panel);
  // The products take that memory later.
  set_rows<Form>(task, number, list, reinterpret_cast<float*>(shared), rows);
  using Panels = ListCodePanels<Form, Row>;
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
  PanelProduct<Panels, ByteProduct>(panels, shape, shared)
      .run(
          [](ByteSums& sums) {
#pragma unroll
            for (std::uint32_t i = 0; i < kRowBlocks * kColumnBlocks * 4; ++i) {
              sums[i / (kColumnBlocks * 4)][i / 4 % kColumnBlocks][i % 4] = 0;
            }
          },
          [&](std::uint32_t panel, const ByteSums& sums, const float* terms) {
            const std::uint32_t* const row_numbers =
                task.lists.row_numbers + (position + (panel - first_panel) * kPanelRows);
            lists.begin_tile();
            keep_within<kIsL2, Form::kHasFactors>(row_numbers, rows, sums, terms, lists);
            lists.end_tile();
          });
  lists.finish();
}

template <class Form, bool kIsL2>
void launch_match(const MatchListCodesTask<typename Form::Codes>& task, const Stream& stream) {
  const auto kernel = match_list_panels<Form, kIsL2>;
  const std::uint32_t chunks = code_chunks(task.lists.codes.dimension, PanelNumber::kByte);
  static_assert(3 * sizeof(StagedTile) + kPanelRows * sizeof(SharedQueryRow) <= kBesideListPanels);
  constexpr std::uint32_t kValues = Form::kHasFactors ? 2 : 1;
  const ProductShape shape = product_shape(kValues, kBesideListPanels);
  const std::size_t bytes = shape.bytes(chunks, kValues);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t resident = resident_ctas(kernel, kProductThreads, bytes);
  const std::uint32_t max_parts = task.list_count == 1 ? 256 : 16;
  const std::uint32_t parts = parts_of_list(resident, task.tasks.max_count, max_parts);
  launch({.name = "match_list_panels",
          .ctas = dim3(task.tasks.max_count, parts),
          .threads = kProductThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task, shape);
}

/// Queues the products.
template <class Form>
void match_lists_by(const MatchListCodesTask<typename Form::Codes>& task, const Stream& stream) {
  (task.lists.codes.is_l2 ? launch_match<Form, true> : launch_match<Form, false>)(task, stream);
}

}  // namespace warpdex::vector
