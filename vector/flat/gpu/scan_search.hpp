// All rows compared with queries in the canonical order, and the k nearest selected: for few
// queries, for large k, and for queries that products leave open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/row_pages.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

class ScanSearch {
 public:
  /// For pages of up to `page_rows` rows. `queries` at a time, at most.
  ScanSearch(const GpuRows& rows, std::size_t queries, std::size_t k, std::size_t page_rows);

  /// Queries that are worth giving it at a time.
  static std::size_t suitable_queries(std::size_t queries, std::size_t page_rows);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search of `count` queries. `answers`, which belong to all `queries`, have those of
  /// earlier pages, or missing places.
  /// `list`, in GPU memory, says which of the queries; null: the first ones.
  void run(const RowPage& page, const DeviceQueries& queries, const std::uint32_t* list,
           std::uint32_t count, const DeviceAnswers& answers, Workspace& workspace);

  /// Queues the computation of the values of one query and all rows; values() has them.
  void compute_values(const RowPage& page, const DeviceQueries& query, const Stream& stream);
  const float* values() const { return values_; }

 private:
  void run_some(const RowPage& page, const DeviceQueries& queries, const std::uint32_t* list,
                const DeviceAnswers& answers, Workspace& workspace);

  const GpuRows& rows_;
  std::size_t queries_;
  std::size_t k_;
  std::size_t page_rows_;
  float* values_ = nullptr;
  float* gathered_ = nullptr;
  float* found_values_ = nullptr;
  std::uint32_t* found_ids_ = nullptr;
  DeviceAnswers joined_;
};

}  // namespace warpdex::vector
