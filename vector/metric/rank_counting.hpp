// Ranks by counting, eight permutants at a time: what a thread of the GPU does.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::metric {

/// Permutants whose ranks are counted together, so that a distance is read once for all of them.
inline constexpr std::uint32_t kRanksAtOnce = 8;

/// 1 if a is below b, else 0; both below 2^31. Two instructions with the sum that it goes into, one
/// fewer than a comparison takes.
WARPDEX_HOST_DEVICE inline std::uint32_t is_below(std::uint32_t a, std::uint32_t b) {
  return (a - b) >> 31;
}

/// ranks[j] = how many of `permutants` come before permutant first + j: those with a smaller
/// distance, and of equal ones those before it; 0 for what is past the last. Distance p is the
/// float with the bits distances[p * stride], at least 0 and no NaN, so that the bits are in the
/// order of distances. O(permutants).
WARPDEX_HOST_DEVICE inline void count_ranks(const std::uint32_t* distances, std::uint32_t stride,
                                            std::uint32_t permutants, std::uint32_t first,
                                            std::uint32_t (&ranks)[kRanksAtOnce]) {
  for (std::uint32_t& rank : ranks) rank = 0;
  if (first >= permutants) return;
  const std::uint32_t end = permutants - first < kRanksAtOnce ? permutants : first + kRanksAtOnce;
  std::uint32_t own[kRanksAtOnce];
  for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) {
    own[j] = first + j < end ? distances[(first + j) * stride] : 0;
  }
  for (std::uint32_t p = 0; p < first; ++p) {
    const std::uint32_t other = distances[p * stride];
    for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) ranks[j] += is_below(other, own[j] + 1);
  }
  for (std::uint32_t p = first; p < end; ++p) {
    const std::uint32_t other = distances[p * stride];
    for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) {
      ranks[j] += is_below(other, own[j] + (p < first + j ? 1U : 0U));
    }
  }
  for (std::uint32_t p = end; p < permutants; ++p) {
    const std::uint32_t other = distances[p * stride];
    for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) ranks[j] += is_below(other, own[j]);
  }
  for (std::uint32_t j = 0; j < kRanksAtOnce; ++j) {
    if (first + j >= end) ranks[j] = 0;
  }
}

}  // namespace warpdex::metric
