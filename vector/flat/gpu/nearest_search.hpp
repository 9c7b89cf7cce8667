// The k nearest of a block of queries among all rows: by products, by scans, page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flat/gpu/product_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "flat/gpu/scan_search.hpp"

namespace warpdex::vector {

class NearestSearch {
 public:
  /// For blocks of up to `queries` queries. `pages` must outlive it, and has its memory laid out by
  /// this.
  NearestSearch(const GpuRows& rows, RowPages& pages, std::size_t queries, std::size_t k,
                bool is_filtered);

  /// Takes its memory and that of the pages, or measures it.
  void lay_out(Arena& arena);

  /// Answers a block of queries, which lie in GPU memory without gaps. `rows` and `distances`, in
  /// GPU memory, are there once workspace.stream was synchronised. Returns how many queries
  /// products were made for, and how many of them they left open.
  GpuFlatFigures run(const float* queries, std::size_t count, std::int32_t* rows, float* distances,
                     Workspace& workspace);

  /// From so many queries on, products are faster than scans.
  static constexpr std::size_t kMinProductQueries = 4;

 private:
  std::size_t search_page(std::size_t page, const DeviceQueries& queries, bool by_product,
                          Workspace& workspace);
  std::size_t scan_open(const RowPage& page, const DeviceQueries& queries, Workspace& workspace);

  const GpuRows& rows_;
  RowPages& pages_;
  std::size_t queries_;
  std::size_t k_;
  ScanSearch scan_;
  std::optional<ProductSearch> product_;
  float* prepared_ = nullptr;
  std::uint32_t* open_list_ = nullptr;
  DeviceAnswers answers_;
};

}  // namespace warpdex::vector
