// Permutations of queries, and how far those of all objects are from them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// Permutations in GPU memory.
struct DeviceRanks {
  const std::uint8_t* rows = nullptr;  ///< of all objects, as in Permutations
  std::uint32_t objects = 0;
  std::uint32_t permutants = 0;

  std::uint32_t row_bytes() const {
    return static_cast<std::uint32_t>(rank_stride(permutants) * rank_bytes(permutants));
  }
};

/// Those of some queries: rows likewise, and with `permutants` entries each the permutants, nearest
/// first.
struct DeviceQueryRanks {
  std::uint8_t* rows = nullptr;
  std::uint16_t* order = nullptr;
  std::uint32_t count = 0;
};

/// Queues the ranking of permutants by distances[q * permutants + p], equal ones by number.
/// O(permutants^2) a query.
void rank_queries(const float* distances, std::uint32_t permutants, const DeviceQueryRanks& queries,
                  const Stream& stream);

/// Queues the comparison of all objects' permutations with those of queries: apart[q * stride + i]
/// is how far object i is from query q, as compare_ranks() has it. Not by kBits (rank_bits.hpp).
void compare_all_ranks(RankDistance distance, const DeviceRanks& ranks,
                       const DeviceQueryRanks& queries, std::uint32_t* apart, std::uint64_t stride,
                       const Stream& stream);

}  // namespace warpdex::metric
