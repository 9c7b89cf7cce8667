// The k nearest of a block of queries in one part of the rows, joined with those of the parts
// before: by products, or by scans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "flat/gpu/product_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "flat/gpu/scan_search.hpp"

namespace warpdex::vector {

class PageSearch {
 public:
  /// For blocks of up to `queries` queries and pages of up to `page_rows` of `rows`, which outlive
  /// it.
  PageSearch(const GpuRows& rows, std::size_t queries, std::size_t k, std::size_t page_rows,
             bool is_filtered);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Whether so many queries are multiplied with so many rows.
  bool multiplies(std::size_t queries, std::size_t rows) const {
    return product_ && queries >= kMinProductQueries && product_->suits(rows);
  }

  /// Queues the search of a page. `answers`, of all queries, have those of earlier pages; for the
  /// first page they may have anything.
  void start(const RowPage& page, const DeviceQueries& queries, const DeviceAnswers& answers,
             bool is_first, Workspace& workspace);
  /// After start(): scans for what products left open, if there were any, and waits for that.
  /// Returns for how many queries.
  std::size_t finish(const RowPage& page, const DeviceQueries& queries,
                     const DeviceAnswers& answers, Workspace& workspace);

 private:
  /// From so many queries on, products are faster than scans.
  static constexpr std::size_t kMinProductQueries = 2;

  std::size_t queries_;
  ScanSearch scan_;
  std::optional<ProductSearch> product_;
  std::uint32_t* open_list_ = nullptr;
};

}  // namespace warpdex::vector
