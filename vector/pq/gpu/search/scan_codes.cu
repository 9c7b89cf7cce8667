// Codes are looked up in tables in shared memory; their sums go into the selection.
//
// What bounds a scan: of a code of m bytes a lane reads m bytes and 4 of its term, and makes m
// look-ups. A look-up is 4 instructions (two to find the entry, a load, an addition), m / 32 of
// them a vector; but 32 random entries in 32 banks take 3.5 turns of shared memory on average. So a
// multiprocessor makes 32 / 3.5 = 9.1 look-ups a cycle, that is about 2.1 TB of codes a second on
// an H100 (132 of them at 1.75 GHz), where reading them would allow 3. One query at 32 lists of
// 2,441 vectors with 32 bytes has 2.5 M look-ups: 1.2 us; its launches take longer.
#include <algorithm>

#include "flat/gpu/candidate_lists.cuh"
#include "pq/gpu/search/group_scan.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/row_kernels.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kFewThreads = 256;
constexpr std::uint32_t kManyThreads = 512;  ///< where shared memory holds few CTAs
/// Vectors of a CTA are no fewer than this where there are others to have them.
constexpr std::size_t kMinVectors = 2048;
/// Static shared memory of select_share, and some room.
constexpr std::size_t kStaticBytes = 12 << 10;

/// The query's tables: copied to shared memory, or where they are. A CTA; ends without a barrier.
template <bool kIsShared>
__device__ const float* fetch_tables(const ScanCodesTask& task, float* shared) {
  const std::uint32_t size = task.codes.bytes * kTableEntries;
  const float* const from = task.made.tables + std::size_t{blockIdx.y} * size;
  if constexpr (kIsShared) {
    for (std::uint32_t i = threadIdx.x; i < size / 4; i += blockDim.x) {
      reinterpret_cast<float4*>(shared)[i] = reinterpret_cast<const float4*>(from)[i];
    }
    return shared;
  } else {
    return from;
  }
}

/// Leaves the best of a CTA's share in GPU memory. True in the CTA that is the query's last one.
__device__ bool hand_in(const ScanCodesTask& task, const SelectCodes& select, int k,
                        BlockQueue<Packed32>& queue, bool& is_last) {
  const int count = queue.gather(k);
  const std::size_t part = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
  for (int i = static_cast<int>(threadIdx.x); i < k; i += static_cast<int>(blockDim.x)) {
    select.parts[part * k + i] = i < count ? queue.entries()[i] : missing_entry<Packed32>();
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(task.made.finished + blockIdx.y, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

/// Adds a tile's vectors that may be among the k nearest, by what this CTA and others know of them.
__device__ void add_tile(const ScanCodesTask& task, const TileValues& tile, bool is_first,
                         BlockQueue<Packed32>& queue) {
  constexpr std::uint32_t kFlip = KeyRules<float>::flip(SelectOrder::kSmallest);
  KeyCode codes[kAtOnce];
  KeyCode best = kWorstCode;
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    const bool exists = (tile.exists >> i & 1) != 0;
    codes[i] = exists ? code_of_key(tile.values[i], kFlip) : kWorstCode;
    best = min(best, codes[i]);
  }
  if (is_first) queue.foresee(best);
  const Packed32 known = *const_cast<const volatile Packed32*>(task.made.bounds + blockIdx.y);
  const Packed32 before = queue.limit();
  const KeyCode bound = code_of_entry(smaller(before, known));
  unsigned wanted = 0;
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    if (codes[i] <= bound && (tile.exists >> i & 1) != 0) wanted |= 1U << i;
  }
  queue.add(wanted, [&](int i) {
    const std::uint32_t position = i == 0   ? tile.positions[0]
                                   : i == 1 ? tile.positions[1]
                                   : i == 2 ? tile.positions[2]
                                            : tile.positions[3];
    const float value = i == 0   ? tile.values[0]
                        : i == 1 ? tile.values[1]
                        : i == 2 ? tile.values[2]
                                 : tile.values[3];
    return nearest_entry(value, task.codes.row_numbers[position]);
  });
  // k entries of this CTA come before its limit, so no CTA needs one behind it.
  if (threadIdx.x == 0 && queue.limit() < known) {
    atomicMin(task.made.bounds + blockIdx.y, queue.limit());
  }
}

/// Work item: a share of the groups of a query's lists, a CTA; blockIdx.y is the query's slot. The
/// last CTA of a query merges the shares. Shared memory: the entries of the selection, then the
/// tables (where they fit), and 10 KiB. Look-ups bound it (see above).
template <bool kIsL2, bool kIsShared>
__global__ void __launch_bounds__(kManyThreads)
    select_share(ScanCodesTask task, SelectCodes select, int capacity) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  __shared__ BlockStorage<Packed32> storage;
  __shared__ bool is_last;
  auto* const entries = reinterpret_cast<Packed32*>(shared);
  const float* const tables =
      fetch_tables<kIsShared>(task, reinterpret_cast<float*>(entries + capacity));
  const int k = static_cast<int>(select.answers.k);
  BlockQueue<Packed32> queue(entries, capacity, k, storage);
  scan_share<kIsL2>(task, tables, [&](const TileValues& tile, bool is_first) {
    add_tile(task, tile, is_first, queue);
  });
  if (gridDim.x > 1) {
    if (!hand_in(task, select, k, queue, is_last)) return;
    queue.reset();
    const std::size_t size = std::size_t{gridDim.x} * k;
    add_entries(static_cast<const Packed32*>(select.parts) + blockIdx.y * size, size, queue);
  }
  queue.finish();
  const std::size_t to = std::size_t{task.chosen.query(blockIdx.y)} * select.answers.k;
  for (int rank = static_cast<int>(threadIdx.x); rank < k; rank += static_cast<int>(blockDim.x)) {
    unpack<float, std::uint32_t>(queue.entries()[rank],
                                 KeyRules<float>::flip(SelectOrder::kSmallest),
                                 select.answers.values[to + rank], select.answers.ids[to + rank]);
  }
}

/// Work item: likewise; what is within the limit goes to GPU memory. Shared memory: the tables.
template <bool kIsL2, bool kIsShared>
__global__ void __launch_bounds__(kManyThreads)
    collect_share(ScanCodesTask task, CollectCodes collect) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  const float* const tables = fetch_tables<kIsShared>(task, reinterpret_cast<float*>(shared));
  __syncthreads();
  scan_share<kIsL2>(task, tables, [&](const TileValues& tile, bool) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const bool exists = (tile.exists >> i & 1) != 0;
      if (!exists || !(collect.takes_all || tile.values[i] <= collect.limit)) continue;
      const int at = next_place(collect.count);
      collect.values[at] = tile.values[i];
      collect.ids[at] = task.codes.row_numbers[tile.positions[i]];
    }
  });
}

/// How a kernel is launched.
struct Shape {
  std::uint32_t threads;
  std::size_t bytes;  ///< of dynamic shared memory
  std::uint32_t ctas;
};

template <class Kernel>
Shape choose_shape(Kernel kernel, const ScanCodesTask& task, std::size_t bytes, std::size_t vectors,
                   std::uint32_t max_ctas) {
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  Shape shape{kFewThreads, bytes, 1};
  if (3 * (bytes + kStaticBytes) > task.shared_memory) shape.threads = kManyThreads;
  const std::uint32_t resident = resident_ctas(kernel, shape.threads, bytes);
  const std::size_t by_work = vectors / kMinVectors + 1;
  const std::size_t by_room = std::min(resident, kMaxSharedCtas) / task.chosen.count;
  shape.ctas = static_cast<std::uint32_t>(
      std::max<std::size_t>(1, std::min({by_work, by_room, std::size_t{max_ctas}})));
  return shape;
}

std::size_t table_bytes(const ScanCodesTask& task) {
  return std::size_t{task.codes.bytes} * kTableEntries * sizeof(float);
}

template <bool kIsL2, bool kIsShared>
void launch_select(const ScanCodesTask& task, const SelectCodes& select, std::size_t vectors,
                   const Stream& stream) {
  const auto kernel = select_share<kIsL2, kIsShared>;
  const std::uint32_t k = select.answers.k;
  const int capacity = block_capacity(k);
  const std::size_t entries = static_cast<std::size_t>(capacity) * sizeof(Packed32);
  const Shape shape = choose_shape(kernel, task, entries + (kIsShared ? table_bytes(task) : 0),
                                   vectors, static_cast<std::uint32_t>(kMaxPartEntries / k));
  launch({.name = "select_share",
          .ctas = dim3(shape.ctas, task.chosen.count),
          .threads = shape.threads,
          .shared_memory = shape.bytes,
          .stream = stream.handle()},
         kernel, task, select, capacity);
}

template <bool kIsL2, bool kIsShared>
void launch_collect(const ScanCodesTask& task, const CollectCodes& collect, std::size_t vectors,
                    const Stream& stream) {
  const auto kernel = collect_share<kIsL2, kIsShared>;
  const Shape shape =
      choose_shape(kernel, task, kIsShared ? table_bytes(task) : 0, vectors, kMaxSharedCtas);
  launch({.name = "collect_share",
          .ctas = dim3(shape.ctas, task.chosen.count),
          .threads = shape.threads,
          .shared_memory = shape.bytes,
          .stream = stream.handle()},
         kernel, task, collect);
}

}  // namespace

void select_codes(const ScanCodesTask& task, const SelectCodes& select, std::size_t vectors,
                  const Stream& stream) {
  const std::size_t entries =
      static_cast<std::size_t>(block_capacity(select.answers.k)) * sizeof(Packed32);
  const bool is_shared = entries + table_bytes(task) + kStaticBytes <= task.shared_memory;
  const auto form = task.codes.is_l2
                        ? (is_shared ? launch_select<true, true> : launch_select<true, false>)
                        : (is_shared ? launch_select<false, true> : launch_select<false, false>);
  form(task, select, vectors, stream);
}

void collect_codes(const ScanCodesTask& task, const CollectCodes& collect, std::size_t vectors,
                   const Stream& stream) {
  const bool is_shared = table_bytes(task) + kStaticBytes <= task.shared_memory;
  const auto form = task.codes.is_l2
                        ? (is_shared ? launch_collect<true, true> : launch_collect<true, false>)
                        : (is_shared ? launch_collect<false, true> : launch_collect<false, false>);
  form(task, collect, vectors, stream);
}

}  // namespace warpdex::vector
