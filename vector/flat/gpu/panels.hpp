// Panels: vectors and queries as the tensor cores read them, scaled and rounded to half precision.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/half_bound.hpp"
#include "flat/gpu/tile_order.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

inline constexpr std::uint32_t kPanelRows = 128;    ///< of a panel
inline constexpr std::uint32_t kChunkColumns = 32;  ///< components that lie together
inline constexpr std::uint32_t kChunkBytes = kPanelRows * kChunkColumns * 2;

/// Chunks of a panel.
WARPDEX_HOST_DEVICE constexpr std::uint32_t panel_chunks(std::uint32_t dimension) {
  return (dimension + kChunkColumns - 1) / kChunkColumns;
}
/// Bytes of a panel.
WARPDEX_HOST_DEVICE constexpr std::size_t panel_bytes(std::uint32_t dimension) {
  return std::size_t{panel_chunks(dimension)} * kChunkBytes;
}

/// What turns vectors into panels.
struct PanelRules {
  HalfBound bound;
  float scale;                    ///< of vectors, and for L2 of queries
  const float* centre = nullptr;  ///< in GPU memory; null: the origin
};

/// Panels of vectors, and what is known of each row. A row is identified by its place in the
/// panels, which TileOrder turns into its place in the choice.
struct RowPanels {
  std::uint8_t* halves = nullptr;
  float* offsets = nullptr;  ///< what is added to the products of each row; infinite for no row
  float* slacks = nullptr;   ///< HalfBound's, of each row
};

/// Panels of queries.
struct QueryPanels {
  std::uint8_t* halves = nullptr;
  float* limits = nullptr;  ///< larger sums are not wanted; for all rows of the panels
  float* slacks = nullptr;  ///< of each query
  float* shifts = nullptr;  ///< what a distance has more than its sum, of each query
  float* scales = nullptr;  ///< of distances to sums, of each query
  /// If not null: how much rounding moved each query, as a share of its length (HalfBound's u).
  float* roundings = nullptr;
  /// Set where nothing is known of a query's sums. Its limit is such that no row is wanted.
  std::uint32_t* is_open = nullptr;
};

/// Waits for the measurement of the rounding r of HalfBound, over rows [0, count), and returns it.
/// `largest` is a float of scratch memory. Reads the rows once.
float measure_rounding(const DeviceRows& rows, std::uint32_t count, const PanelRules& rules,
                       float* largest, const Stream& stream);

/// Queues the packing of the panels [first, first + count) of the choice.
void pack_rows(const DeviceRows& rows, const DeviceChoice& choice, const TileOrder& order,
               const PanelRules& rules, std::uint32_t first, std::uint32_t count,
               const RowPanels& panels, const Stream& stream);

/// Queues the packing of queries. Each one's limit is made from wanted_values[query * stride],
/// a value of the canonical order that is still wanted; null: all are.
void pack_queries(const DeviceQueries& queries, std::uint32_t dimension, const PanelRules& rules,
                  const float* wanted_values, std::size_t stride, const QueryPanels& panels,
                  const Stream& stream);

}  // namespace warpdex::vector
