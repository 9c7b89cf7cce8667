// Adds candidates to the lists of queries.
#pragma once

#include "flat/gpu/match.hpp"

namespace warpdex::vector {

__device__ __forceinline__ void append(const CandidateLists& lists, std::uint32_t query, float sum,
                                       std::uint32_t place) {
  const std::size_t begin = lists.begins == nullptr ? query * lists.capacity : lists.begins[query];
  const std::size_t room =
      lists.begins == nullptr ? lists.capacity : lists.begins[query + 1] - begin;
  const std::uint32_t at = atomicAdd(lists.counts + query, 1U);
  if (at < room) lists.candidates[begin + at] = {sum, place};
}

}  // namespace warpdex::vector
