// The ranks of permutants for many objects at once.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::metric {

struct ObjectRanksTask {
  const float* distances = nullptr;  ///< [p * stride + i] of object i to permutant p; no NaN
  std::uint64_t stride = 0;
  std::uint32_t objects = 0;
  std::uint32_t permutants = 0;           ///< up to kMaxPermutants
  const std::uint32_t* places = nullptr;  ///< object i's row, each once; null: row i
  std::uint8_t* rows = nullptr;           ///< as in Permutations; aligned to 16 bytes
};

/// Queues the ranking of the permutants for each object: its row as RankRow has it, to the bit.
void rank_objects(const ObjectRanksTask& task, const Stream& stream);

}  // namespace warpdex::metric
