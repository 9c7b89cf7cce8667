// A few queries against all vectors of the lists that they probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/workspace.hpp"
#include "lists/gpu/gpu_lists.hpp"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// In the canonical order: for few queries, large k, ranges, and queries that products leave open.
class ListScan {
 public:
  /// For lists of up to `max_rows` vectors together, up to `queries` queries, and `probes` of each.
  ListScan(const GpuLists& lists, std::size_t queries, std::size_t k, std::size_t probes,
           std::size_t max_rows);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search of the k nearest of all queries of `probed`. Those whose bit in `filter`, by
  /// row number, is not set are left out; null: none is.
  void nearest(const DeviceQueries& queries, const DeviceProbes& probed,
               const std::uint64_t* filter, const DeviceAnswers& answers, Workspace& workspace);

  /// The same of some of the queries, which it waits to have copied. Their answers must be missing.
  void nearest_of(const std::vector<std::uint32_t>& some, const DeviceQueries& queries,
                  const DeviceProbes& probed, const std::uint64_t* filter,
                  const DeviceAnswers& answers, Workspace& workspace);

  /// The order_key()s of all that is within a limit of query `query`, sorted.
  std::vector<std::uint64_t> within(std::uint32_t query, const DeviceQueries& queries,
                                    const DeviceProbes& probed, const std::uint64_t* filter,
                                    float limit, Workspace& workspace);

 private:
  /// Sets values_ and ids_ of up to `step_` queries: which[0, count), or, if that is null, those
  /// from `first` on.
  void compute(const std::uint32_t* which, std::uint32_t first, std::uint32_t count,
               const DeviceQueries& queries, const DeviceProbes& probed,
               const std::uint64_t* filter, const Stream& stream);

  const GpuLists& lists_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t probes_;
  std::uint32_t max_rows_;
  std::uint32_t step_;  ///< queries at a time
  std::uint32_t* which_ = nullptr;
  std::uint32_t* ends_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  float* found_values_ = nullptr;
  std::uint32_t* found_ids_ = nullptr;
  DeviceAnswers joined_;
};

}  // namespace warpdex::vector
