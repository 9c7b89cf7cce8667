// Lists of binary codes against all queries that probe them.
#pragma once

#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/match.hpp"
#include "ivf/gpu/bits/gpu_list_bits.hpp"
#include "ivf/gpu/match_lists.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "xfbq/gpu/binary_data.hpp"

namespace warpdex::vector {

struct MatchListBitsTask {
  DeviceListBits lists;
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
void match_list_bits(const MatchListBitsTask& task, const Stream& stream);

/// Whether a CTA has the shared memory that it takes.
bool can_match_list_bits(std::uint32_t dimension);

}  // namespace warpdex::vector
