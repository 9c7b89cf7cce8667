// The k nearest of a block of queries in the lists that they probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/gpu/match.hpp"
#include "flat/gpu/workspace.hpp"
#include "ivf/gpu/gpu_lists.hpp"
#include "ivf/gpu/match_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// Products, in rounds of lists that are ever farther.
class ListSearch {
 public:
  /// For blocks of up to `queries` queries.
  ListSearch(const GpuLists& lists, std::size_t queries, std::size_t k);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Searches `count` queries; `probed` has the lists of each, nearest first. Sets their answers,
  /// but of those that are left open, which it returns.
  std::vector<std::uint32_t> run(const DeviceQueries& queries, const Neighbors& probed,
                                 std::size_t first_query, const std::uint64_t* filter,
                                 const DeviceAnswers& answers, Workspace& workspace);

 private:
  void match_round(const Neighbors& probed, std::size_t first_query, std::uint32_t queries,
                   std::size_t first_probe, std::size_t last_probe, const std::uint64_t* filter,
                   Workspace& workspace);
  void match_tasks(const std::vector<ListTask>& tasks, const std::vector<std::uint32_t>& entries,
                   const std::uint64_t* filter, Workspace& workspace);
  void tighten_all(std::uint32_t queries, const Stream& stream);

  const GpuLists& lists_;
  std::uint32_t queries_;
  std::uint32_t k_;
  QueryPanels query_panels_;
  CandidateLists candidates_;
  ListTask* tasks_ = nullptr;
  std::uint32_t* entries_ = nullptr;
  std::uint8_t* gathered_ = nullptr;
};

}  // namespace warpdex::vector
