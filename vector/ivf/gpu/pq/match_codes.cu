// Each list meets all queries that probe it at once: its codes are decoded to halves in shared
// memory, chunk by chunk, for up to 128 of them.
//
// A vector of d components costs d look-ups in the codebooks, each of two bytes at a random place:
// some 3.5 turns of shared memory for 32 of them, so d / 9.1 cycles, and as long in instructions (8
// a look-up). The products of 128 queries take d / 16 cycles of the tensor cores. So decoding
// bounds it; 10 M vectors of 96 components take 0.5 ms on an H100, and are read (36 bytes each) in
// a quarter of that.
#include <algorithm>
#include <cfloat>

#include "flat/gpu/panel_product.cuh"
#include "ivf/gpu/append_kept.cuh"
#include "ivf/gpu/pq/group_scan.cuh"
#include "ivf/gpu/pq/match_codes.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kWarps = kProductThreads / kWarp;
constexpr std::uint32_t kGroupsOfPanel = kPanelRows / kGroupVectors;
constexpr std::uint32_t kUnitsOfChunk = kChunkColumns / 8;
constexpr std::uint32_t kUnitHalves = 8;  ///< of 16 bytes

/// What the rows of sums stand for: the queries of a task.
struct RowRules {
  std::uint32_t query;
  float weight;  ///< of terms
  float base;    ///< weighted
  float limit;   ///< of a sum without its base; larger ones are not wanted
};

/// Shared memory beside that of the product: the rows, each component's run, the codebooks.
struct Extra {
  RowRules* rows;
  std::uint16_t* parts;
  std::uint16_t* books;

  static constexpr std::size_t bytes(std::uint32_t dimension, std::uint32_t bits, bool has_books) {
    const std::size_t parts = (std::size_t{dimension} * 2 + 15) / 16 * 16;
    return kPanelRows * sizeof(RowRules) + parts +
           (has_books ? (std::size_t{dimension} << bits) * 2 : 0);
  }
  __device__ Extra(std::uint8_t* memory, std::uint32_t dimension)
      : rows(reinterpret_cast<RowRules*>(memory)),
        parts(reinterpret_cast<std::uint16_t*>(rows + kPanelRows)),
        books(parts + (dimension + 7) / 8 * 8) {}
};

/// Brings the task's queries and decoded codes to shared memory (PanelProduct).
template <bool kIs8Bits>
struct CodePanels {
  const MatchCodesTask& task;
  const RowRules* rows;
  const std::uint16_t* component_parts;
  const std::uint16_t* books;
  std::uint32_t first_group;  ///< of the list's first panel
  std::uint32_t first_panel;  ///< of the list
  std::uint32_t position;     ///< of the list's first vector
  std::uint32_t position_end;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;

  __device__ void bring_left(std::uint32_t to, std::uint32_t chunk) const {
    for (std::uint32_t i = threadIdx.x; i < kPanelRows * kUnitsOfChunk; i += kProductThreads) {
      const std::uint32_t row = i / kUnitsOfChunk;
      const std::uint32_t unit = i % kUnitsOfChunk;
      const std::uint32_t query = rows[row].query;
      if (query == kNoEntry) {
        store_16_bytes(to + unit_offset(row, unit), uint4{0, 0, 0, 0});
        continue;
      }
      const std::size_t panel = std::size_t{query / kPanelRows} * chunks + chunk;
      copy_16_bytes(to + unit_offset(row, unit), task.panels.halves + panel * kChunkBytes +
                                                     unit_offset(query % kPanelRows, unit));
    }
  }

  /// A warp decodes 16 components of a group; a lane those of a vector.
  __device__ void bring_right(std::uint32_t to, std::uint32_t panel, std::uint32_t chunk) const {
    const std::uint32_t warp = threadIdx.x / kWarp;
    const std::uint32_t quarter = warp % kGroupsOfPanel;
    const std::uint8_t* const codes = panel_codes(panel) + quarter * task.codes.group_bytes();
    const std::uint32_t row = quarter * kGroupVectors + lane_id();
    std::uint32_t word_index = ~0U;
    std::uint32_t word = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kUnitsOfChunk / 2; ++i) {
      const std::uint32_t unit = warp / kGroupsOfPanel * (kUnitsOfChunk / 2) + i;
      const std::uint32_t component = chunk * kChunkColumns + unit * kUnitHalves;
      std::uint32_t halves[kUnitHalves / 2];
#pragma unroll
      for (std::uint32_t pair = 0; pair < kUnitHalves / 2; ++pair) {
        const std::uint32_t low = decode(codes, component + 2 * pair, word_index, word);
        const std::uint32_t high = decode(codes, component + 2 * pair + 1, word_index, word);
        halves[pair] = low | high << 16;
      }
      store_16_bytes(to + unit_offset(row, unit), {halves[0], halves[1], halves[2], halves[3]});
    }
  }

  /// Terms; infinity where there is no vector, or one that is not allowed. The other half of the
  /// threads calls for the codes of a panel that comes later, so that decoding need not wait.
  __device__ void bring_columns(std::uint32_t to, std::uint32_t panel) const {
    constexpr std::uint32_t kPanelsAhead = 2;
    constexpr std::uint32_t kLineBytes = 128;
    if (threadIdx.x >= kPanelRows) {
      const std::uint32_t wanted = panel + kPanelsAhead;
      if (wanted >= last) return;
      const std::uint8_t* const codes = panel_codes(wanted);
      const std::size_t size = kGroupsOfPanel * task.codes.group_bytes();
      std::size_t at = (threadIdx.x - kPanelRows) * kLineBytes;
      for (; at < size; at += (kProductThreads - kPanelRows) * kLineBytes) prefetch(codes + at);
      return;
    }
    const std::uint32_t own = position + (panel - first_panel) * kPanelRows + threadIdx.x;
    float term = __int_as_float(0x7F800000);
    if (own < position_end &&
        (task.filter == nullptr || is_allowed(task.filter, task.codes.row_numbers[own]))) {
      term = task.codes.terms == nullptr ? 0.0F : task.codes.terms[own];
    }
    store_float(to + threadIdx.x * 4, term);
  }

 private:
  __device__ const std::uint8_t* panel_codes(std::uint32_t panel) const {
    const std::uint32_t group = first_group + (panel - first_panel) * kGroupsOfPanel;
    return task.codes.groups + std::size_t{group} * task.codes.group_bytes();
  }

  /// A component of the lane's vector, by its code: a half's bits; 0 past the dimension. Words of
  /// the code are loaded when they are first wanted; that is the same for all lanes.
  __device__ std::uint32_t decode(const std::uint8_t* codes, std::uint32_t component,
                                  std::uint32_t& word_index, std::uint32_t& word) const {
    if (component >= task.codes.dimension) return 0;
    const std::uint32_t part = component_parts[component];
    const std::uint32_t byte = kIs8Bits ? part : part / 2;
    if (byte / 4 != word_index) {
      word_index = byte / 4;
      const std::uint32_t begin = byte / kCodeChunk * kCodeChunk;
      const std::uint32_t width = min(kCodeChunk, task.codes.stored_bytes() - begin);
      const std::uint32_t at = lane_id() * width + byte % kCodeChunk / 4 * 4;
      word = *reinterpret_cast<const std::uint32_t*>(codes + begin * kGroupVectors + at);
    }
    const std::uint32_t value = word >> (byte % 4 * 8);
    if constexpr (kIs8Bits) return books[component * 256 + (value & 255)];
    return books[component * 16 + (value >> (part % 2 * 4) & 15)];
  }
};

/// The list that a panel belongs to.
__device__ std::uint32_t list_of_panel(const MatchCodesTask& task, std::uint32_t panel) {
  std::uint32_t low = 0;
  for (std::uint32_t high = task.codes.lists - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (panel < task.panel_begins[middle + 1]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Sets what there is to know of the task's queries and the list. A CTA; ends without a barrier.
__device__ void set_rows(const MatchCodesTask& task, std::uint32_t number, std::uint32_t list,
                         RowRules* rows) {
  for (std::uint32_t row = warp_id(); row < kPanelRows; row += kWarps) {
    const std::uint32_t query = task.tasks.entries[std::size_t{number} * kPanelRows + row];
    RowRules rules{query, 1, 0, -FLT_MAX};
    if (query != kNoEntry) {
      const float* const values = task.queries.values + std::size_t{query} * task.queries.stride;
      const std::uint32_t lists[1] = {list};
      const std::uint32_t stride = task.queries.stride;
      const float base = task.codes.is_l2
                             ? distance_to_centroids<true, 1>(task.codes, values, stride, lists)
                             : distance_to_centroids<false, 1>(task.codes, values, stride, lists);
      const float limit = task.panels.limits[query];
      if (limit > -FLT_MAX) {
        rules.weight = task.panels.scales[query];
        rules.base = rules.weight * base;
        rules.limit = __fsub_rn(limit, rules.base);
      }
    }
    if (lane_id() == 0) rows[row] = rules;
  }
}

/// A sum without its base.
__device__ __forceinline__ float partial_sum(const RowRules& rules, float term, float product) {
  return __fmaf_rn(rules.weight, term, product);
}

/// The sums of a thread within two rows of a tile: bit 2 * n + odd of kept[half] is set if that one
/// is within the limit.
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
        const float sum = partial_sum(rules[half], term, sums[m][n][2 * half + odd]);
        if (sum <= rules[half].limit) kept[half] |= 1U << (2 * n + odd);
      }
    }
  }
}

/// Adds what is within the limits to the candidates. `place` is that of the panel's first vector.
__device__ __forceinline__ void keep_within(const MatchCodesTask& task, const RowRules* rows,
                                            const TileSums& sums, const float* terms,
                                            std::uint32_t place) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
    const RowRules rules[2] = {rows[row_of_sum(m, 0)], rows[row_of_sum(m, 1)]};
    std::uint32_t kept[2];
    find_kept(rules, sums, terms, m, kept);
    if (!__any_sync(kWholeWarp, (kept[0] | kept[1]) != 0)) continue;
    const std::uint32_t query[2] = {rules[0].query, rules[1].query};
    append_kept(task.lists, kept, query, place, [&](std::uint32_t i, std::uint32_t half) {
      const float sum = partial_sum(rules[half], terms[column_of_sum(i / 2, i % 2)],
                                    sums[m][i / 2][2 * half + i % 2]);
      const float whole = __fadd_rn(sum, rules[half].base);
      return task.codes.is_l2 ? fmaxf(whole, 0.0F) : whole;
    });
  }
}

/// Work item: a task and a part of its list's panels, a CTA of 8 warps. Shared memory: that of
/// PanelProduct, 2 KiB of rows, and the codebooks (512 bytes a component) if they fit. See above
/// for what bounds it.
template <bool kIs8Bits, bool kHasBooks>
__global__ void __launch_bounds__(kProductThreads, 2) match_code_panels(MatchCodesTask task) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const std::uint32_t number = task.first_task + blockIdx.x;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t dimension = task.codes.dimension;
  const std::uint32_t chunks = panel_chunks(dimension);
  const Extra extra(shared + product_shared_bytes(chunks), dimension);
  const std::uint32_t list = list_of_panel(task, own.first_panel);
  set_rows(task, number, list, extra.rows);
  for (std::uint32_t i = threadIdx.x; i < dimension; i += kProductThreads) {
    extra.parts[i] = task.parts[i];
  }
  if constexpr (kHasBooks) {
    const std::uint32_t units = (dimension << task.codes.bits) / kUnitHalves;
    for (std::uint32_t i = threadIdx.x; i < units; i += kProductThreads) {
      reinterpret_cast<uint4*>(extra.books)[i] = reinterpret_cast<const uint4*>(task.half_books)[i];
    }
  }
  __syncthreads();
  const std::uint32_t first_group = task.codes.group_begins[list];
  const std::uint32_t first_panel = task.panel_begins[list];
  const CodePanels<kIs8Bits> panels{task,
                                    extra.rows,
                                    extra.parts,
                                    kHasBooks ? extra.books : task.half_books,
                                    first_group,
                                    first_panel,
                                    task.codes.begins[list],
                                    task.codes.begins[list + 1],
                                    chunks,
                                    own.first_panel + own.panels * blockIdx.y / gridDim.y,
                                    own.first_panel + own.panels * (blockIdx.y + 1) / gridDim.y};
  PanelProduct(panels, shared)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* terms) {
        const std::uint32_t group = first_group + (panel - first_panel) * kGroupsOfPanel;
        keep_within(task, extra.rows, sums, terms, group * kGroupVectors);
      });
}

template <bool kIs8Bits, bool kHasBooks>
void launch_match(const MatchCodesTask& all, const Stream& stream) {
  const auto kernel = match_code_panels<kIs8Bits, kHasBooks>;
  const std::size_t bytes = product_shared_bytes(panel_chunks(all.codes.dimension)) +
                            Extra::bytes(all.codes.dimension, all.codes.bits, kHasBooks);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t resident = resident_ctas(kernel, kProductThreads, bytes);
  MatchCodesTask task = all;
  for (; task.first_task < all.tasks.max_count; task.first_task += kMaxListTasks) {
    const std::uint32_t count = std::min(kMaxListTasks, all.tasks.max_count - task.first_task);
    // Few tasks: several CTAs share the panels of a list.
    const std::uint32_t parts = std::clamp(4 * resident / count, 1U, 16U);
    launch({.name = "match_code_panels",
            .ctas = dim3(count, parts),
            .threads = kProductThreads,
            .shared_memory = bytes,
            .stream = stream.handle()},
           kernel, task);
  }
}

}  // namespace

bool can_match_codes(std::uint32_t dimension, std::size_t shared_memory) {
  return product_shared_bytes(panel_chunks(dimension)) + Extra::bytes(dimension, 8, false) <=
         shared_memory;
}

void match_codes(const MatchCodesTask& task, const Stream& stream) {
  const std::uint32_t dimension = task.codes.dimension;
  const bool has_books = product_shared_bytes(panel_chunks(dimension)) +
                             Extra::bytes(dimension, task.codes.bits, true) <=
                         task.shared_memory;
  if (task.codes.bits == 8) {
    (has_books ? launch_match<true, true> : launch_match<true, false>)(task, stream);
  } else {
    (has_books ? launch_match<false, true> : launch_match<false, false>)(task, stream);
  }
}

}  // namespace warpdex::vector
