// A query's tables come to shared memory, or are made there, for its few candidates only.
#include <algorithm>
#include <bit>

#include "flat/gpu/candidate_lists.cuh"
#include "pq/gpu/search/group_scan.cuh"
#include "pq/gpu/search/kernels.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_select.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr int kLists = 8;  ///< centroids that a warp takes at a time

/// Entries of the selection: there are few candidates, and what is saved lets more CTAs run.
constexpr int entries_for(std::size_t k) {
  return static_cast<int>(std::max<std::size_t>(512, 2 * std::bit_ceil(k)));
}

/// The list that a group belongs to.
__device__ std::uint32_t list_of_group(const DeviceCodes& codes, std::uint32_t group) {
  std::uint32_t low = 0;
  for (std::uint32_t high = codes.lists - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (group < codes.group_begins[middle + 1]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The canonical distance of the query and the centroid of each lane's list. A warp.
template <bool kIsL2>
__device__ float find_bases(const DeviceCodes& codes, const float* query, std::uint32_t stride,
                            std::uint32_t list) {
  float base = 0;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < kWarp / kLists; ++turn) {
    std::uint32_t lists[kLists];
#pragma unroll
    for (std::uint32_t i = 0; i < kLists; ++i) {
      lists[i] = __shfl_sync(kWholeWarp, list, turn * kLists + i);
    }
    const float found = distance_to_centroids<kIsL2, kLists>(codes, query, stride, lists);
    // The distance of lists[i] is in the lanes from i * 4 on.
    const float own = __shfl_sync(kWholeWarp, found, lane_id() % kLists * (kWarp / kLists));
    if (lane_id() / kLists == turn) base = own;
  }
  return base;
}

/// Work item: a query, a CTA. Shared memory: the entries of the selection, then the tables. Reading
/// the codebooks from L2 to make the tables bounds it: 1 KiB a component.
template <bool kIsL2>
__global__ void __launch_bounds__(kThreads)
    rescore_candidates(RescoreCodesTask task, int capacity) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  __shared__ BlockStorage<Packed32> storage;
  const std::uint32_t query = blockIdx.x;
  if (task.is_open[query] != 0) return;
  const DeviceCodes& codes = task.codes;
  auto* const entries = reinterpret_cast<Packed32*>(shared);
  auto* const tables = reinterpret_cast<float*>(entries + capacity);
  const std::size_t row = std::size_t{query} * task.queries.stride;
  static_assert(kThreads == kTableEntries);
  if (task.tables != nullptr) {
    const std::size_t size = std::size_t{codes.bytes} * kTableEntries;
    const auto* const from = reinterpret_cast<const float4*>(task.tables + query * size);
    for (std::uint32_t i = threadIdx.x; i < size / 4; i += kThreads) {
      reinterpret_cast<float4*>(tables)[i] = from[i];
    }
  } else {
#pragma unroll 4
    for (std::uint32_t byte = 0; byte < codes.bytes; ++byte) {
      tables[byte * kTableEntries + threadIdx.x] =
          table_entry(codes, task.vectors + row, byte, threadIdx.x);
    }
  }
  const std::uint32_t k = task.answers.k;
  BlockQueue<Packed32> queue(entries, capacity, static_cast<int>(k), storage);
  float* const values = task.answers.values + std::size_t{query} * k;
  std::uint32_t* const ids = task.answers.ids + std::size_t{query} * k;
  const Candidate* const candidates =
      task.lists.candidates + std::size_t{query} * task.lists.capacity;
  const std::uint32_t count = task.lists.counts[query];
  for (std::uint32_t first = 0; first < count; first += kThreads) {
    const std::uint32_t i = min(first + threadIdx.x, count - 1);
    const std::uint32_t place = candidates[i].place;
    const std::uint32_t group = place / kGroupVectors;
    const std::uint32_t list = list_of_group(codes, group);
    const std::uint32_t position =
        codes.begins[list] + place -
        codes.group_begins[list] * static_cast<std::uint32_t>(kGroupVectors);
    float sums[1] = {
        find_bases<kIsL2>(codes, task.queries.values + row, task.queries.stride, list)};
    if constexpr (kIsL2) sums[0] = __fadd_rn(sums[0], codes.terms[position]);
    const std::uint8_t* const groups[1] = {codes.groups + std::size_t{group} * codes.group_bytes()};
    const std::uint32_t lanes[1] = {place % static_cast<std::uint32_t>(kGroupVectors)};
    add_codes<1>(codes, tables, groups, lanes, sums);
    Packed32 entry = missing_entry<Packed32>();
    if (first + threadIdx.x < count) {
      entry =
          nearest_entry(value_of_sum<kIsL2>(codes, position, sums[0]), codes.row_numbers[position]);
    }
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  queue.finish();
  for (std::uint32_t rank = threadIdx.x; rank < k; rank += kThreads) {
    unpack<float, std::uint32_t>(queue.entries()[rank],
                                 KeyRules<float>::flip(SelectOrder::kSmallest), values[rank],
                                 ids[rank]);
  }
}

}  // namespace

std::size_t rescore_codes_bytes(std::uint32_t code_bytes, std::size_t k) {
  return static_cast<std::size_t>(entries_for(k)) * sizeof(Packed32) +
         std::size_t{code_bytes} * kTableEntries * sizeof(float);
}

void rescore_codes(const RescoreCodesTask& task, const Stream& stream) {
  const auto kernel = task.codes.is_l2 ? rescore_candidates<true> : rescore_candidates<false>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  launch({.name = "rescore_candidates",
          .ctas = task.queries.count,
          .threads = kThreads,
          .shared_memory = rescore_codes_bytes(task.codes.bytes, task.answers.k),
          .stream = stream.handle()},
         kernel, task, entries_for(task.answers.k));
}

}  // namespace warpdex::vector
