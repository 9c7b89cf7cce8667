// Rows and queries multiplied on the tensor cores, in rounds: after each, limits are lower.
#pragma once

#include <cstdint>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/list_rounds.hpp"
#include "flat/gpu/products.hpp"
#include "flat/gpu/row_pages.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// k beyond this is for the scan.
inline constexpr std::size_t kMaxProductNeighbors = 2048;

/// Finds the k nearest of a block of queries among a page of rows.
class ProductSearch {
 public:
  /// For blocks of up to `queries` queries and pages of up to `page_rows` rows.
  ProductSearch(const GpuRows& rows, std::size_t queries, std::size_t k, std::size_t page_rows,
                bool is_filtered);

  /// Whether `rows` rows are enough for it.
  bool suits(std::size_t rows) const {
    return rows >= 2 * std::size_t{rounds_.first_panels()} * kPanelRows;
  }

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search. `answers` holds those of earlier pages if `has_answers`. Queries that it
  /// leaves open have open()[query] set; their answers stay what they were.
  void run(const RowPage& page, const DeviceQueries& queries, const DeviceAnswers& answers,
           bool has_answers, const Stream& stream);

  /// In GPU memory, of each query.
  const std::uint32_t* open() const { return query_panels_.is_open; }

 private:
  RowPanels part(std::uint32_t panel) const;
  void match_part(const RowPage& page, const TileOrder& order, std::uint32_t panel,
                  std::uint32_t count, std::uint32_t queries, bool takes_all, const Stream& stream);

  const GpuRows& rows_;
  std::uint32_t queries_;
  std::uint32_t k_;
  ListRounds rounds_;
  std::uint32_t page_panels_;
  std::uint32_t slab_panels_;  ///< panels of rows that are packed at a time
  bool has_panels_;            ///< kept by rows_
  bool loads_rows_;            ///< rows are rounded where they are multiplied, and not packed
  QueryPanels query_panels_;
  RowPanels row_panels_;
  CandidateLists lists_;
};

}  // namespace warpdex::vector
