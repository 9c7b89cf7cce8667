// The k nearest of a block of queries among all rows: by products, by scans, page by page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/page_search.hpp"
#include "flat/gpu/row_pages.hpp"

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
  GpuFigures run(const float* queries, std::size_t count, std::int32_t* rows, float* distances,
                 Workspace& workspace);

 private:
  std::size_t search_page(std::size_t page, const DeviceQueries& queries, Workspace& workspace);

  const GpuRows& rows_;
  RowPages& pages_;
  std::size_t queries_;
  std::size_t k_;
  PageSearch search_;
  float* prepared_ = nullptr;
  DeviceAnswers answers_;
};

}  // namespace warpdex::vector
