// Numbers that seem random, from their places alone, on the CPU and the GPU.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::tools {

inline constexpr std::uint64_t kSplitmixStep = 0x9E3779B97F4A7C15;

/// The number of splitmix64 whose state is `state`; the next one's is kSplitmixStep more.
WARPDEX_HOST_DEVICE inline std::uint64_t splitmix(std::uint64_t state) {
  state += kSplitmixStep;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

}  // namespace warpdex::tools
