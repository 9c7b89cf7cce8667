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

/// Many of them, in GPU memory. Task t has the queries entries[t * 128 + i]; kNoEntry: none.
struct ListTasks {
  const ListTask* tasks = nullptr;
  const std::uint32_t* entries = nullptr;
  const std::uint32_t* count = nullptr;  ///< of tasks
  std::uint32_t max_count = 0;           ///< `count` at the most; there is room for so many
};
inline constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;

/// Tasks of a launch.
inline constexpr std::uint32_t kMaxListTasks = 4096;

struct MatchListsTask {
  ListTasks tasks;
  std::uint32_t first_task = 0;      ///< of the launch
  std::uint8_t* gathered = nullptr;  ///< room for the panels of kMaxListTasks tasks
  QueryPanels queries;
  RowPanels rows;
  std::uint32_t chunks = 0;
  CandidateLists lists;
  const std::uint32_t* ids = nullptr;     ///< of places in the panels
  const std::uint64_t* filter = nullptr;  ///< a bit for each id that is allowed; null: all are
};

/// Queues the products of all tasks, kMaxListTasks at a time. What is within a query's limit is
/// added to its candidates.
void match_lists(const MatchListsTask& task, const Stream& stream);

}  // namespace warpdex::vector
