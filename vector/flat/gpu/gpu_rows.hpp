// The vectors of a searcher: in GPU memory, or in the host's, from where they come page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

/// Immutable after construction, but for the account of memory.
class GpuRows {
 public:
  /// As search_on_gpu().
  GpuRows(const FlatVectors& vectors, Resources& resources, const GpuSearchSettings& settings);

  const FlatVectors& host() const { return host_; }
  bool is_l2() const { return host_.metric == Metric::kL2; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(host_.vectors.rows); }
  std::uint32_t dimension() const { return static_cast<std::uint32_t>(host_.vectors.dimension); }
  /// Components from one row to the next in GPU memory.
  std::uint32_t stride() const;
  /// Bytes of GPU memory that a row takes, with its norm.
  std::size_t row_bytes() const;
  int device() const { return device_; }
  /// The account that all of it, and the scratch memory of searches, count in.
  MemoryBudget& memory() const { return memory_; }

  /// Whether errors of halves are bounded for all rows.
  bool is_bounded() const { return is_bounded_; }
  const PanelRules& rules() const { return rules_; }

  bool is_resident() const { return rows_.data != nullptr; }
  /// If they are resident: all of them, and the numbers of rows that answers name (null: their
  /// positions).
  const DeviceRows& rows() const { return rows_; }
  const std::uint32_t* row_numbers() const {
    return static_cast<const std::uint32_t*>(row_numbers_.data());
  }
  /// Their panels in TileOrder(count(), kPanelRows); null halves where they are not kept.
  const RowPanels& panels() const { return panels_; }

 private:
  bool upload(const Stream& stream);
  void keep_panels(const Stream& stream);

  FlatVectors host_;
  int device_;
  mutable MemoryBudget memory_;
  bool is_bounded_ = true;
  PanelRules rules_;
  AccountedBuffer centre_;
  AccountedBuffer data_;
  AccountedBuffer norms_;
  AccountedBuffer row_numbers_;
  AccountedBuffer panel_memory_;
  DeviceRows rows_;
  RowPanels panels_;
};

/// Sets `rows` to the vectors in GPU memory if there are some and they fit into what `memory` has
/// left; else leaves it empty.
void copy_if_they_fit(const FlatVectors& vectors, Resources& resources, const MemoryBudget& memory,
                      std::optional<GpuRows>& rows);

/// Queues the copy of rows [first, first + count) to the GPU, with GpuRows::stride(). From memory
/// that is not page-locked it waits until they are read.
void copy_rows(const VectorView& from, std::size_t first, std::size_t count, void* to,
               std::uint32_t stride, const Stream& stream);

}  // namespace warpdex::vector
