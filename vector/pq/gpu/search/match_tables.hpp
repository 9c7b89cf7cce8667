// Lists and the queries that probe them, compared by tables of bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/match.hpp"
#include "lists/gpu/match_lists.hpp"
#include "pq/gpu/search/byte_tables.hpp"
#include "pq/gpu/search/code_data.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct MatchTablesTask {
  DeviceCodes codes;
  const std::uint32_t* panel_begins = nullptr;  ///< of GpuCodes
  ListTasks tasks;
  std::uint32_t queries_of_task = 1;  ///< about
  DeviceQueries queries;
  ByteTables tables;
  const float* limits = nullptr;  ///< of each query
  /// As match_codes() has them; sums are in the unit of distances.
  CandidateLists lists;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
};

/// Queues the comparison of all tasks. What is within a query's limit is added to its candidates.
void match_tables(const MatchTablesTask& task, const Stream& stream);

/// Whether there is shared memory enough for codes of so many bytes, and this is the faster way:
/// longer ones are left to products.
bool can_match_tables(std::uint32_t code_bytes, std::uint32_t dimension, std::size_t shared_memory);

}  // namespace warpdex::vector
