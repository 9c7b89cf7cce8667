// A CTA holds all candidates of a query in registers.
#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/products.hpp"
#include "integer_codes/gpu/trim_lists.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_select.cuh"

namespace warpdex::vector {
namespace {

/// Candidates that a thread holds, and the most threads.
constexpr std::uint32_t kShare = 16;
constexpr std::uint32_t kMaxThreads = kMaxListCapacity / kShare;
static_assert(kMaxThreads <= 1024);

/// The largest entry that stays on the list.
__device__ Packed32 find_last(Packed32 last, float margin) {
  if (margin == 0 || last == missing_entry<Packed32>()) return last;
  float value;
  std::uint32_t id;
  unpack<float, std::uint32_t>(last, KeyRules<float>::flip(SelectOrder::kSmallest), value, id);
  // The largest id that is not kNoId.
  return nearest_entry(__fadd_rn(value, margin), kNoId<std::uint32_t> - 1);
}

/// Work item: a query, a CTA. Shared memory: the entries of the selection. Sorting bounds it.
__global__ void __launch_bounds__(kMaxThreads)
    trim(TrimTask task, DeviceAnswers nearest, int capacity) {
  wait_for_previous();
  extern __shared__ Packed32 entries[];
  __shared__ BlockStorage<Packed32> storage;
  __shared__ std::uint32_t kept;
  const std::uint32_t query = blockIdx.x;
  const std::uint32_t counted = task.lists.counts[query];
  const bool is_open = task.is_open[query] != 0 || counted > task.lists.capacity;
  if (is_open && threadIdx.x == 0) task.is_open[query] = 1;
  const std::uint32_t count = is_open ? 0 : counted;
  Candidate* const list = task.lists.candidates + query * task.lists.capacity;
  const int k = static_cast<int>(nearest.k);
  BlockQueue<Packed32> queue(entries, capacity, k, storage);
  Candidate own[kShare] = {};
  const auto entry_of = [&](std::uint32_t i) {
    const bool exists = i * blockDim.x + threadIdx.x < count;
    return exists ? nearest_entry(own[i].sum, task.order.row(own[i].place))
                  : missing_entry<Packed32>();
  };
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    const std::uint32_t at = i * blockDim.x + threadIdx.x;
    if (at < count) own[i] = list[at];
    const Packed32 entry = entry_of(i);
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  if (threadIdx.x == 0) kept = 0;
  queue.finish();
  for (int rank = static_cast<int>(threadIdx.x); rank < k; rank += static_cast<int>(blockDim.x)) {
    const std::size_t to = std::size_t{query} * nearest.k + static_cast<std::size_t>(rank);
    unpack<float, std::uint32_t>(queue.entries()[rank],
                                 KeyRules<float>::flip(SelectOrder::kSmallest), nearest.values[to],
                                 nearest.ids[to]);
  }
  if (task.margins == nullptr) return;
  const Packed32 last = find_last(queue.entries()[k - 1], task.margins[query]);
  // All candidates were read before the first is written here: finish() has barriers.
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    if (i * blockDim.x + threadIdx.x >= count || entry_of(i) > last) continue;
    list[atomicAdd(&kept, 1U)] = own[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) task.lists.counts[query] = kept;
}

}  // namespace

void trim_lists(const TrimTask& task, const DeviceAnswers& nearest, const Stream& stream) {
  allow_all_shared_memory(reinterpret_cast<const void*>(trim));
  const int capacity = block_capacity(nearest.k);
  launch({.name = "trim",
          .ctas = task.query_count,
          .threads = static_cast<std::uint32_t>(task.lists.capacity) / kShare,
          .shared_memory = static_cast<std::size_t>(capacity) * sizeof(Packed32),
          .stream = stream.handle(),
          .overlaps = task.overlaps},
         trim, task, nearest, capacity);
}

}  // namespace warpdex::vector
