// The shares of the memory budget, and what is set aside for the process itself.
#include "build/memory_plan.hpp"

#include <algorithm>

namespace warpdex::build {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// The program itself, its libraries' data, the reader's and the index writer's buffers.
constexpr std::uint64_t kProcess = 8 * kMiB;
// An analyzer with its caches, a stack, an allocator's arena.
constexpr std::uint64_t kPerThread = 11 * kMiB / 2;
constexpr std::uint64_t kMinPerThread = 16 * kMiB;
constexpr std::uint64_t kMinShare = kMiB;

}  // namespace

MemoryPlan plan_memory(std::uint64_t memory, std::size_t threads) {
  MemoryPlan plan;
  plan.threads = std::clamp<std::uint64_t>(memory / kMinPerThread, 1, threads);
  plan.batch_bytes = std::clamp<std::uint64_t>(memory / (32 * plan.threads), kMiB / 16, kMiB);
  // A batch is raw bytes, the document that is being parsed and analysed, and its terms' counts.
  const std::uint64_t batches = plan.threads * (kPerThread + 4 * plan.batch_bytes);
  plan.writing = memory - kProcess;
  plan.inversion = plan.writing - std::min(plan.writing, batches);
  return plan;
}

std::uint64_t inverter_share(const MemoryPlan& plan, std::uint64_t tables) {
  return std::max(kMinShare, (plan.inversion - std::min(plan.inversion, tables)) / plan.threads);
}

}  // namespace warpdex::build
