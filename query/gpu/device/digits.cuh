// Selection digit by digit: in which of 256 counts the wanted thing is. Internal.
#pragma once

#include "gpu/device/list_reader.cuh"

namespace warpdex::gpu {

inline constexpr std::uint32_t kDigits = 256;

/// The first place among kDigits counts up to which `wanted` (from 1) things were counted; `wanted`
/// becomes its place among those counted there. `count_at` gives a count by its place. One warp.
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

/// From the largest digit down.
__device__ inline std::uint32_t find_digit_from_top(const std::uint32_t* counts,
                                                    std::uint32_t& wanted) {
  return kDigits - 1 -
         find_digit([&](std::uint32_t place) { return counts[kDigits - 1 - place]; }, wanted);
}

/// From the smallest digit up.
__device__ inline std::uint32_t find_digit_from_bottom(const std::uint32_t* counts,
                                                       std::uint32_t& wanted) {
  return find_digit([&](std::uint32_t place) { return counts[place]; }, wanted);
}

}  // namespace warpdex::gpu
