// The lists of an inverted file in GPU memory: the vectors, and panels of each list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/row_pages.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// Immutable after construction. Each list begins a panel of its own; places without a row are in
/// its last one.
class GpuLists {
 public:
  /// `memory` of 0: what the Resources have; centroids count only against these. Throws Error,
  /// which says how much is needed, where there is too little memory.
  GpuLists(const Lists<RowCoding>& vectors, Resources& resources, std::size_t memory);

  const Lists<RowCoding>& host() const { return host_; }
  const GpuRows& centroids() const { return centroids_; }
  std::uint32_t count() const { return rows_.count(); }
  int device() const { return rows_.device(); }
  MemoryBudget& memory() const { return rows_.memory(); }
  /// Vectors of the `probes` longest lists together, 1 or more.
  std::size_t max_rows(std::size_t probes) const {
    return std::max<std::size_t>(1, sizes_[probes]);
  }

  const GpuRows& rows() const { return rows_; }
  std::size_t lists() const { return panel_begins_.size() - 1; }
  /// Panels of list l: [panel_begins()[l], panel_begins()[l + 1]).
  std::span<const std::uint32_t> panel_begins() const { return panel_begins_; }
  /// Where each list begins among the vectors, and panel_begins(), in GPU memory.
  const std::uint32_t* device_begins() const { return device_begins_; }
  const std::uint32_t* device_panel_begins() const { return device_panel_begins_; }
  const RowPanels& panels() const { return panels_; }
  /// All places as a choice of rows: what candidates are turned into rows by.
  RowPage page() const;
  TileOrder order() const { return TileOrder::of_places(places_, kPanelRows); }

 private:
  Lists<RowCoding> host_;
  std::vector<std::uint32_t> panel_begins_;
  std::uint32_t places_ = 0;
  GpuRows rows_;
  GpuRows centroids_;
  std::vector<std::size_t> sizes_;  ///< [p]: of the p longest lists together
  AccountedBuffer memory_;
  std::uint32_t* positions_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  std::uint32_t* device_begins_ = nullptr;
  std::uint32_t* device_panel_begins_ = nullptr;
  RowPanels panels_;
};

}  // namespace warpdex::vector
