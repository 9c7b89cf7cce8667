// A few queries against all codes of the lists that they probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/workspace.hpp"
#include "pq/gpu/search/gpu_codes.hpp"
#include "pq/gpu/search/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// Distances by tables: for few queries, large k, ranges, the first list of each query, and queries
/// that products leave open.
class TableScan {
 public:
  /// For up to `queries` queries that probe up to `probes` lists. `collects`: for ranges, too.
  TableScan(const GpuCodes& codes, std::size_t queries, std::size_t k, std::size_t probes,
            bool collects);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search of the k nearest of all queries in the first `used` lists of each.
  void nearest(const CodeQueries& search, std::uint32_t used, const DeviceAnswers& answers,
               Workspace& workspace);
  /// The same of some of the queries, in all their lists; it waits to have them copied.
  void nearest_of(const std::vector<std::uint32_t>& some, const CodeQueries& search,
                  const DeviceAnswers& answers, Workspace& workspace);
  /// The order_key()s of all that is within a limit of a query, sorted.
  std::vector<std::uint64_t> within(std::uint32_t query, const CodeQueries& search, float limit,
                                    Workspace& workspace);

 private:
  ScanCodesTask prepare(const CodeQueries& search, std::uint32_t used, const ChosenQueries& chosen,
                        const Stream& stream) const;
  /// Any number of queries, in parts.
  void select(const CodeQueries& search, std::uint32_t used, const ChosenQueries& chosen,
              const DeviceAnswers& answers, Workspace& workspace);
  /// All vectors within a limit, or all; returns how many.
  std::uint32_t collect(std::uint32_t query, const CodeQueries& search, float limit, bool takes_all,
                        Workspace& workspace);
  void select_collected(std::uint32_t query, const CodeQueries& search,
                        const DeviceAnswers& answers, Workspace& workspace);

  const GpuCodes& codes_;
  std::uint32_t queries_;
  std::uint32_t probes_;
  std::size_t max_rows_;
  bool collects_;       ///< ranges, or a k that no CTA selects
  std::uint32_t step_;  ///< queries at a time
  std::uint32_t k_;
  QueryTables made_;
  std::uint32_t* which_ = nullptr;
  unsigned long long* parts_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  int* count_ = nullptr;
};

}  // namespace warpdex::vector
