// Brings a block's answers to the host.
#pragma once

#include <cstddef>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/workspace.hpp"
#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// Few answers are written straight to page-locked memory by the kernel that finds them; then
/// nothing but the end of the stream is left to wait for. More are copied.
class FetchedAnswers {
 public:
  /// For up to `queries` queries at a time. If their answers are few, points `answers` to
  /// page-locked memory, else leaves it as it is: in GPU memory.
  FetchedAnswers(DeviceAnswers& answers, std::size_t queries, Workspace& workspace);

  /// Waits for the stream. Sets the answers of queries [first, first + count) of the result from
  /// the first ones of the block. Returns whether there is a query that has none.
  bool fetch(Metric metric, std::size_t first, std::size_t count, Neighbors& result) const;

 private:
  const DeviceAnswers& answers_;
  const Stream& stream_;
  const float* values_ = nullptr;  ///< on the host; null: not there
  const std::uint32_t* ids_ = nullptr;
};

}  // namespace warpdex::vector
