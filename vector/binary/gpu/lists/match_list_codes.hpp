// Lists of binary codes against all queries that probe them.
#pragma once

#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/lists/gpu_list_codes.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/match.hpp"
#include "lists/gpu/match_lists.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct MatchListCodesTask {
  DeviceListCodes lists;
  std::uint32_t list_count = 0;
  const std::uint32_t* panel_begins = nullptr;  ///< of each list, and the end
  ListTasks tasks;
  DeviceQueries queries;                       ///< padded
  DeviceQueryCodes codes;                      ///< of the queries
  const std::uint8_t* query_panels = nullptr;  ///< unpack_queries(), as bytes
  std::uint32_t chunks = 0;                    ///< of a panel
  const float* limits = nullptr;               ///< of the queries
  CandidateLists candidates;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
};

/// Queues it: what is within a query's limit is added to its candidates, by rows. Distances are
/// exact. Codes and queries have up to kMaxByteBits bits, products up to kMaxExactProduct.
void match_list_codes(const MatchListCodesTask& task, const Stream& stream);

/// Whether a CTA has the shared memory that it takes.
bool can_match_list_codes(std::uint32_t dimension);

}  // namespace warpdex::vector
