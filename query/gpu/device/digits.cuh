// Radix selection by digits of 8 bits. Given how many items have each of the 256 digits, it finds
// the digit of the wanted item. Internal.
#pragma once

#include "gpu/device/list_reader.cuh"

namespace warpdex::gpu {

inline constexpr std::uint32_t kDigits = 256;

/// Turns the counts of the digits into the places at which they start if items are sorted by them.
/// One warp.
__device__ inline void make_starts(std::uint32_t* counts) {
  std::uint32_t before = 0;
  for (std::uint32_t i = lane_id(); i < kDigits; i += kWarp) {
    const std::uint32_t count = counts[i];
    const std::uint32_t upto = inclusive_sum(count);
    counts[i] = before + upto - count;
    before += __shfl_sync(kWholeWarp, upto, kWarp - 1);
  }
}

/// Items are sorted by their digit; count_at(digit) is how many have it. Returns the digit of item
/// number `wanted`, counted from 1. `wanted` becomes its number among the items of that digit. One
/// warp.
template <class CountAt>
__device__ inline std::uint32_t find_digit(CountAt count_at, std::uint32_t& wanted) {
  constexpr std::uint32_t kPerLane = kDigits / kWarp;
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kPerLane; ++i) mine += count_at(lane_id() * kPerLane + i);
  const std::uint32_t upto = inclusive_sum(mine);
  const std::uint32_t reached = __ballot_sync(kWholeWarp, upto >= wanted);
  const int lane = reached == 0 ? 31 : __ffs(static_cast<int>(reached)) - 1;
  std::uint32_t before = __shfl_sync(kWholeWarp, upto - mine, lane);
  std::uint32_t digit = static_cast<std::uint32_t>(lane) * kPerLane;
  const std::uint32_t last = digit + kPerLane - 1;
  for (; digit < last && before + count_at(digit) < wanted; ++digit) before += count_at(digit);
  wanted -= before;
  return digit;
}

/// The same for items sorted from the largest digit down.
__device__ inline std::uint32_t find_digit_from_top(const std::uint32_t* counts,
                                                    std::uint32_t& wanted) {
  return kDigits - 1 -
         find_digit([&](std::uint32_t place) { return counts[kDigits - 1 - place]; }, wanted);
}

/// The same for items sorted from the smallest digit up.
__device__ inline std::uint32_t find_digit_from_bottom(const std::uint32_t* counts,
                                                       std::uint32_t& wanted) {
  return find_digit([&](std::uint32_t place) { return counts[place]; }, wanted);
}

}  // namespace warpdex::gpu
