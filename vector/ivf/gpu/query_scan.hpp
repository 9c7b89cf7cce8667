// One query against all vectors of the lists that it probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/gpu/scan_search.hpp"
#include "flat/gpu/workspace.hpp"
#include "ivf/gpu/gpu_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// In the canonical order: for few queries, large k, ranges, and queries that products leave open.
class QueryScan {
 public:
  /// For lists of up to `max_rows` vectors together.
  QueryScan(const GpuLists& lists, std::size_t k, std::size_t max_rows);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// The allowed vectors of the lists, on the GPU. Valid until the next call, which waits for the
  /// stream.
  RowPage choose(std::span<const std::int32_t> probed, const RowFilter* filter,
                 const Stream& stream);

  /// Queues the search of the k nearest.
  void nearest(const RowPage& page, const DeviceQueries& query, const DeviceAnswers& answers,
               Workspace& workspace);

  /// The order_key()s of all that is within a limit, sorted.
  std::vector<std::uint64_t> within(const RowPage& page, const DeviceQueries& query, float limit,
                                    Workspace& workspace);

 private:
  const GpuLists& lists_;
  std::size_t max_rows_;
  ScanSearch scan_;
  std::uint32_t* positions_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> numbers_;  ///< the rows that they are
};

}  // namespace warpdex::vector
