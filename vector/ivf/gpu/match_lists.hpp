// Products of lists and the queries that probe them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/match.hpp"
#include "flat/gpu/panels.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// One list and up to 128 queries that probe it.
struct ListTask {
  std::uint32_t first_panel;  ///< of the list
  std::uint32_t panels;
};

/// A launch: many of them. Task t has the queries entries[t * 128 + i]; kNoEntry: none.
struct ListTasks {
  const ListTask* tasks = nullptr;
  const std::uint32_t* entries = nullptr;
  std::uint32_t count = 0;
};
inline constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;

struct MatchListsTask {
  ListTasks tasks;
  std::uint8_t* gathered = nullptr;  ///< room for a panel of each task
  QueryPanels queries;
  RowPanels rows;
  std::uint32_t chunks = 0;
  CandidateLists lists;
  const std::uint32_t* ids = nullptr;     ///< of places in the panels
  const std::uint64_t* filter = nullptr;  ///< a bit for each id that is allowed; null: all are
};

/// Queues the products of all tasks. What is within a query's limit is added to its candidates.
void match_lists(const MatchListsTask& task, const Stream& stream);

}  // namespace warpdex::vector
