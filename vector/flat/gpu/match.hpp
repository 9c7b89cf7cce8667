// Products of panels on the tensor cores, of which only sums within each query's limit are kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/panels.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// A row that may be among the nearest of a query.
struct Candidate {
  float sum;            ///< a lower bound of its distance, in the query's unit
  std::uint32_t place;  ///< in the panels of rows
};

/// Where the candidates of queries go.
struct CandidateLists {
  Candidate* candidates = nullptr;
  std::size_t capacity = 0;         ///< of each query's list; list q begins at q * capacity
  std::uint32_t* counts = nullptr;  ///< of each query; may pass the capacity, by those left out
  /// Where list q begins, instead of q * capacity, with one more for the end; null: there.
  const std::uint64_t* begins = nullptr;
};

/// A part of the rows against all queries.
struct MatchTask {
  RowPanels rows;             ///< from the first panel of the part on
  std::uint32_t row_panels;   ///< of the part, 1 or more
  std::uint32_t first_place;  ///< of the part
  QueryPanels queries;
  std::uint32_t query_count;  ///< 1 or more
  std::uint32_t chunks;       ///< of a panel
  CandidateLists lists;
  /// All sums are wanted: row i of the part becomes candidate i of each list, whose count is not
  /// changed.
  bool takes_all;
};

/// Queues the products: O(rows * queries * dimension). Lists get their candidates in any order.
void match(const MatchTask& task, const Stream& stream);

}  // namespace warpdex::vector
