// Lists of candidates, and entries as selection compares them.
#pragma once

#include <cstdint>

#include "flat/gpu/products.hpp"
#include "warpdex/core/select/packed.cuh"

namespace warpdex::vector {

/// Adds a candidate, unless the list is full; it is counted anyway.
__device__ __forceinline__ void append(const CandidateLists& lists, std::uint32_t query, float sum,
                                       std::uint32_t place) {
  const std::size_t begin = lists.begins == nullptr ? query * lists.capacity : lists.begins[query];
  const std::size_t room =
      lists.begins == nullptr ? lists.capacity : lists.begins[query + 1] - begin;
  const std::uint32_t at = atomicAdd(lists.counts + query, 1U);
  if (at < room) lists.candidates[begin + at] = {sum, place};
}

/// Smaller values first, then smaller ids.
__device__ __forceinline__ Packed32 nearest_entry(float value, std::uint32_t id) {
  return pack<Packed32>(code_of_key(value, KeyRules<float>::flip(SelectOrder::kSmallest)), id);
}

}  // namespace warpdex::vector
