#include "warpdex/core/cuda/chip.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kKiB = 1 << 10;
constexpr std::size_t kGiB = std::size_t{1} << 30;

/// By NVIDIA's CUDA programming guide, "Compute Capabilities", and the data sheets.
constexpr std::array kImitated{
    Chip{"t4", 75, 40, 1024, 64 * kKiB, 64 * kKiB, 15 * kGiB},
    Chip{"l4", 89, 58, 1536, 100 * kKiB, 99 * kKiB, 22 * kGiB},
    Chip{"a100", 80, 108, 2048, 164 * kKiB, 163 * kKiB, 39 * kGiB},
};

int attribute_of(int device, cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

Chip real_chip(int device) {
  const CurrentDevice current(device);
  Chip chip{};
  chip.imitated = "";
  chip.capability = 10 * attribute_of(device, cudaDevAttrComputeCapabilityMajor) +
                    attribute_of(device, cudaDevAttrComputeCapabilityMinor);
  const auto number = [&](cudaDeviceAttr which) {
    return static_cast<std::uint32_t>(attribute_of(device, which));
  };
  chip.multiprocessors = number(cudaDevAttrMultiProcessorCount);
  chip.threads = number(cudaDevAttrMaxThreadsPerMultiProcessor);
  chip.shared_memory = number(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  chip.shared_memory_of_block = number(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  std::size_t free = 0;
  check_cuda(cudaMemGetInfo(&free, &chip.memory), "cudaMemGetInfo");
  return chip;
}

/// The one that WARPDEX_GPU names, or null.
const Chip* asked_for() {
  const char* const given = std::getenv("WARPDEX_GPU");
  if (given == nullptr || *given == 0) return nullptr;
  const auto found = std::ranges::find_if(
      kImitated, [&](const Chip& chip) { return std::string_view(given) == chip.imitated; });
  if (found != kImitated.end()) return &*found;
  throw UsageError("WARPDEX_GPU is '" + std::string(given) +
                   "'; it may be t4, l4 or a100, or be left out");
}

Chip find_chip(int device) {
  Chip chip = real_chip(device);
  const Chip* const asked = asked_for();
  if (asked == nullptr) return chip;
  chip.imitated = asked->imitated;
  chip.capability = std::min(chip.capability, asked->capability);
  chip.multiprocessors = std::min(chip.multiprocessors, asked->multiprocessors);
  chip.threads = std::min(chip.threads, asked->threads);
  chip.shared_memory = std::min(chip.shared_memory, asked->shared_memory);
  chip.shared_memory_of_block =
      std::min(chip.shared_memory_of_block, asked->shared_memory_of_block);
  chip.memory = std::min(chip.memory, asked->memory);
  return chip;
}

}  // namespace

const Chip& chip_of(int device) {
  static std::mutex mutex;
  static std::map<int, Chip> chips;
  const std::lock_guard lock(mutex);
  auto found = chips.find(device);
  if (found == chips.end()) found = chips.emplace(device, find_chip(device)).first;
  return found->second;
}

const Chip& current_chip() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return chip_of(device);
}

std::uint32_t ctas_within_limits(const Chip& chip, std::uint32_t threads, std::size_t bytes) {
  constexpr std::size_t kReserved = kKiB;  // of each CTA
  const std::size_t by_memory = chip.shared_memory / (bytes + kReserved);
  const std::size_t by_threads = chip.threads / threads;
  const std::size_t most = std::max<std::size_t>(1, std::min(by_memory, by_threads));
  return static_cast<std::uint32_t>(most * chip.multiprocessors);
}

}  // namespace warpdex
