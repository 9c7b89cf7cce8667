// The k nearest of a block of queries in the lists that they probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/products.hpp"
#include "flat/gpu/workspace.hpp"
#include "lists/gpu/gpu_lists.hpp"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// Products, in rounds of lists from near to far.
class ListSearch {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each.
  ListSearch(const GpuLists& lists, std::size_t queries, std::size_t k, std::size_t probes);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Searches the lists that the queries probe. Sets their answers, but of those that are left
  /// open, which it returns: these are missing. `filter` has a bit for each row number that is
  /// allowed; null: all are.
  std::vector<std::uint32_t> run(const DeviceQueries& queries, const DeviceProbes& probed,
                                 const std::uint64_t* filter, const DeviceAnswers& answers,
                                 Workspace& workspace);

 private:
  /// Takes the candidates of a part of the lists, and lowers the queries' limits.
  void match_part(const DeviceProbes& probed, const ProbePart& part, const std::uint64_t* filter,
                  const Stream& stream);

  const GpuLists& lists_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t first_panels_;  ///< of the nearest list, whose rows are all taken
  QueryPanels query_panels_;
  CandidateLists candidates_;
  ProbeGroups groups_;
  std::uint8_t* gathered_ = nullptr;
};

}  // namespace warpdex::vector
