// Lists of codes as panels of halves: what a product of panels multiplies, decoded on the way to
// shared memory.
#pragma once

#include <cstdint>

#include "flat/gpu/panel_product.cuh"
#include "lists/gpu/task_panels.cuh"
#include "pq/gpu/search/group_scan.cuh"
#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/list_bases.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kGroupsOfPanel = kPanelRows / kGroupVectors;
inline constexpr std::uint32_t kUnitsOfChunk = kChunkColumns / 8;
inline constexpr std::uint32_t kUnitHalves = 8;  ///< of 16 bytes

/// What the rows of sums stand for: the queries of a task.
struct RowRules {
  std::uint32_t query;
  float weight;  ///< of terms
  float base;    ///< weighted
  float limit;   ///< of a sum, for l2 without its base; larger ones are not wanted
};

/// Brings the task's queries and decoded codes to shared memory (PanelProduct).
template <bool kIsL2, bool kIs8Bits>
struct CodePanels {
  static constexpr std::uint32_t kValuesOfRow = 1;

  const MatchCodesTask& task;
  const RowRules* rows;
  const UnitCodes* unit_codes;
  const std::uint16_t* books;
  std::uint32_t first_group;  ///< of the list's first panel
  std::uint32_t first_panel;  ///< of the list
  std::uint32_t position;     ///< of the list's first vector
  std::uint32_t position_end;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;

  __device__ void bring_left(std::uint32_t to, std::uint32_t chunk) const {
    bring_queries(rows, task.panels.halves, chunks, chunk, to);
  }

  /// A warp decodes 16 components of a group; a lane those of a vector.
  __device__ void bring_right(std::uint32_t to, std::uint32_t panel, std::uint32_t chunk) const {
    const std::uint32_t warp = threadIdx.x / kWarp;
    const std::uint32_t quarter = warp % kGroupsOfPanel;
    const std::uint8_t* const codes = panel_codes(panel) + quarter * task.codes.group_bytes();
    const std::uint32_t row = quarter * kGroupVectors + lane_id();
#pragma unroll
    for (std::uint32_t i = 0; i < kUnitsOfChunk / 2; ++i) {
      const std::uint32_t within = warp / kGroupsOfPanel * (kUnitsOfChunk / 2) + i;
      const std::uint32_t unit = chunk * kUnitsOfChunk + within;
      uint4 halves{0, 0, 0, 0};
      if (unit * kUnitHalves < task.codes.coded_dimension) halves = decode(codes, unit);
      store_16_bytes(to + unit_offset(row, within), halves);
    }
  }

  /// Terms; where there is no vector, or one that is not allowed, excluding_term(). The other half
  /// of the threads calls for the codes of a panel that comes later, so that decoding need not
  /// wait.
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
    float term = excluding_term<kIsL2>();
    if (own < position_end &&
        (task.filter == nullptr || is_allowed(task.filter, task.codes.row_numbers[own]))) {
      term = term_of<kIsL2>(task.codes, own);
    }
    store_float(to + threadIdx.x * 4, term);
  }

 private:
  __device__ const std::uint8_t* panel_codes(std::uint32_t panel) const {
    const std::uint32_t group = first_group + (panel - first_panel) * kGroupsOfPanel;
    return task.codes.groups + std::size_t{group} * task.codes.group_bytes();
  }

  /// The halves of a unit's components, of the lane's vector.
  __device__ uint4 decode(const std::uint8_t* codes, std::uint32_t unit) const {
    const UnitCodes own = unit_codes[unit];
    std::uint32_t words[3];
#pragma unroll
    for (std::uint32_t i = 0; i < 3; ++i) {
      constexpr std::uint32_t kPlaces = (1U << UnitCodes::kOwnBits) - 1;
      const std::uint32_t width = own.words[i] >> UnitCodes::kWidthBits & 31;
      const std::uint32_t at = (own.words[i] & kPlaces) + lane_id() * width;
      words[i] = *reinterpret_cast<const std::uint32_t*>(codes + at);
    }
    const std::uint32_t shift = (own.words[0] >> UnitCodes::kFirstByteBits) * 8;
    const std::uint32_t low = __funnelshift_r(words[0], words[1], shift);
    const std::uint32_t high = __funnelshift_r(words[1], words[2], shift);
    const std::uint32_t values[2] = {__byte_perm(low, high, own.bytes & 0xFFFF),
                                     __byte_perm(low, high, own.bytes >> 16)};
    constexpr std::uint32_t kWords = kIs8Bits ? 256 : 16;
    const std::uint16_t* const book = books + unit * kUnitHalves * kWords;
    std::uint32_t halves[kUnitHalves];
#pragma unroll
    for (std::uint32_t i = 0; i < kUnitHalves; ++i) {
      std::uint32_t value = values[i / 4] >> (i % 4 * 8) & 255;
      if constexpr (!kIs8Bits) {
        const std::uint32_t is_high = own.words[1 + i / 4] >> (UnitCodes::kOwnBits + i % 4) & 1;
        value = value >> (is_high * 4) & 15;
      }
      halves[i] = book[i * kWords + value];
    }
    return {halves[0] | halves[1] << 16, halves[2] | halves[3] << 16, halves[4] | halves[5] << 16,
            halves[6] | halves[7] << 16};
  }
};

}  // namespace warpdex::vector
