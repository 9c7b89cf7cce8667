// The objects whose permutations are the most similar to a query's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::metric {

struct ChoiceTask {
  const std::uint32_t* apart = nullptr;  ///< [q * stride + i] of object i
  std::uint64_t stride = 0;              ///< a multiple of 4
  std::uint32_t objects = 0;
  std::uint32_t bits = 0;           ///< of the largest distance of two permutations, 1 to 32
  std::uint32_t wanted = 0;         ///< 1 to objects
  std::uint32_t* chosen = nullptr;  ///< [q * wanted + ...]
};

/// Queues the choice, for each query, of the `wanted` objects that are the least apart, of equal
/// ones the first: their numbers, ascending. Larger distances than `bits` say, which damaged ranks
/// give, count as the largest. O(objects) a query.
void choose_similar(const ChoiceTask& task, std::uint32_t queries, const Stream& stream);

}  // namespace warpdex::metric
