// Products of decoded lists and the queries that probe them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/match.hpp"
#include "lists/gpu/match_lists.hpp"
#include "pq/gpu/search/code_data.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct MatchCodesTask {
  DeviceCodes codes;
  const std::uint16_t* half_books = nullptr;  ///< of GpuCodes
  const UnitCodes* units = nullptr;           ///< likewise
  const std::uint32_t* panel_begins = nullptr;
  ListTasks tasks;
  DeviceQueries queries;
  QueryPanels panels;  ///< of pack_code_queries()
  /// A candidate's place is its vector's among the groups: 32 a group. Its sum is S + w (base + t)
  /// of code_bound.hpp, for l2 put up to 0.
  CandidateLists lists;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
  std::size_t shared_memory = 0;          ///< that a CTA may have
};

/// Queues the products of all tasks. What is within a query's limit is added to its candidates.
void match_codes(const MatchCodesTask& task, const Stream& stream);

/// Whether a CTA has shared memory enough for products of that dimension.
bool can_match_codes(std::uint32_t dimension, std::size_t shared_memory);

}  // namespace warpdex::vector
