// Texts of the GPU types that need no CUDA, in builds with and without it.
#include <cstdio>

#include "warpdex/core/cuda/device.hpp"

namespace warpdex {

std::string DeviceInfo::to_string() const {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, ", %d SMs, %.1f GiB (%.1f free), sm_%d%d", multiprocessors,
                static_cast<double>(memory) / kGiB, static_cast<double>(free_memory) / kGiB,
                compute_major, compute_minor);
  return std::to_string(device) + ": " + name + numbers;
}

}  // namespace warpdex
