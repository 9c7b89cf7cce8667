// Counts the values of a column over a set of documents.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/facets/count_values.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
/// Tables of so many entries lie in shared memory.
constexpr std::uint32_t kShared = 4096;
constexpr std::uint32_t kNothing = 0xFFFFFFFFU;

/// The packed value of a slot, of 32 bits at most.
__device__ std::uint32_t packed_at(const PlacedColumn& column, std::uint32_t slot) {
  switch (column.width) {
    case 0: return 0;
    case 8: return column.packed[slot];
    case 16: return reinterpret_cast<const std::uint16_t*>(column.packed)[slot];
    case 32: return reinterpret_cast<const std::uint32_t*>(column.packed)[slot];
    default: break;
  }
  const std::uint64_t bit = std::uint64_t{slot} * column.width;
  return column.packed[bit / 8] >> bit % 8 & ((1U << column.width) - 1);
}

/// Adds 1 for each lane that has an entry of the table; neighbours often have the same. A whole
/// warp.
__device__ void add_entries(std::uint32_t* table, std::uint32_t entry) {
  const std::uint32_t same = __match_any_sync(kWholeWarp, entry);
  if (entry == kNothing || lane_id() != __ffs(static_cast<int>(same)) - 1U) return;
  atomicAdd(table + entry, __popc(same));
}

/// Counts the documents of a warp's lanes, of which each has one or kNothing.
struct Counter {
  const PlacedColumn& column;
  ValueCounters to;  ///< where the warp counts
  std::uint32_t with_values = 0;

  __device__ std::uint32_t entry_at(std::uint32_t slot) const {
    const std::uint32_t packed = packed_at(column, slot);
    return packed < column.entries ? packed : kNothing;
  }

  /// Of a column without several values.
  __device__ void add_one(std::uint32_t document) {
    bool has = document != kNothing;
    if (has && column.present != nullptr) {
      has = (column.present[document / 32] >> document % 32 & 1) != 0;
    }
    with_values += has ? 1 : 0;
    add_entries(to.documents, has ? entry_at(document) : kNothing);
  }

  /// Equal values of a document lie side by side, and count as one document.
  __device__ void add_all(std::uint32_t document) {
    if (document == kNothing) return;
    const std::uint32_t end = min(column.begins[document + 1], column.slots);
    std::uint32_t before = kNothing;
    with_values += column.begins[document] < end ? 1 : 0;
    for (std::uint32_t slot = column.begins[document]; slot < end; ++slot) {
      const std::uint32_t entry = entry_at(slot);
      if (entry == kNothing) continue;
      atomicAdd(to.values + entry, 1);
      if (entry != before) atomicAdd(to.documents + entry, 1);
      before = entry;
    }
  }
};

/// Work item: 32 words of the set a warp, each lane the documents of one. Shared memory: the table,
/// if it is small. Bound by reading values: a sector of 32 bytes for each document where matches
/// are few, the column once where they are many; and by one atomic addition for each run of equal
/// values among 32 documents.
template <bool kInShared>
__global__ void __launch_bounds__(kThreads)
    count_values(const std::uint32_t* set, std::uint32_t words, PlacedColumn column,
                 ValueCounters to) {
  __shared__ std::uint32_t table[kInShared ? kShared : 1];
  Counter counter{column, to};
  if (kInShared) {
    for (std::uint32_t i = threadIdx.x; i < column.entries; i += kThreads) table[i] = 0;
    counter.to.documents = table;
    __syncthreads();
  }
  const std::uint32_t step = gridDim.x * kThreads;
  for (std::uint32_t first = blockIdx.x * kThreads + warp_id() * kWarp; first < words;
       first += step) {
    const std::uint32_t place = first + lane_id();
    std::uint32_t left = place < words ? set[place] : 0;
    while (__any_sync(kWholeWarp, left != 0)) {
      const std::uint32_t document =
          left == 0 ? kNothing : place * 32 + __ffs(static_cast<int>(left)) - 1;
      left &= left - 1;
      if (column.begins == nullptr) {
        counter.add_one(document);
      } else {
        counter.add_all(document);
      }
    }
  }
  const std::uint32_t with_values = warp_sum(counter.with_values);
  if (lane_id() == 0 && with_values > 0) atomicAdd(to.with_values, with_values);
  if (!kInShared) return;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < column.entries; i += kThreads) {
    if (table[i] > 0) atomicAdd(to.documents + i, table[i]);
  }
}

}  // namespace

void launch_count_values(const std::uint32_t* set, std::uint32_t words, const PlacedColumn& column,
                         const ValueCounters& to, const Stream& stream) {
  if (words == 0) return;
  constexpr std::uint32_t kCtas = 8;  // of a multiprocessor
  const std::uint32_t most = current_chip().multiprocessors * kCtas;
  const Launch how{.name = "count_values",
                   .ctas = std::min((words + kThreads - 1) / kThreads, most),
                   .threads = kThreads,
                   .stream = stream.handle()};
  if (column.entries <= kShared) {
    launch(how, count_values<true>, set, words, column, to);
  } else {
    launch(how, count_values<false>, set, words, column, to);
  }
}

}  // namespace warpdex::gpu
