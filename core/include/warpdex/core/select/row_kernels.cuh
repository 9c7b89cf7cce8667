// The kernels that read every row once: a warp a row, and a block a row or a part of a row.
#pragma once

#include "warpdex/core/select/block_select.cuh"
#include "warpdex/core/select/row_reader.cuh"
#include "warpdex/core/select/warp_select.cuh"

namespace warpdex {

/// What the kernels are asked.
template <typename Key, typename Id>
struct RowsTask {
  MatrixView<Key> keys;
  const Id* ids;           ///< of the caller, or null: columns are the ids
  std::size_t ids_stride;  ///< between rows of ids
  Key* keys_out;           ///< rows * k
  Id* ids_out;             ///< rows * k
  int k;
  std::uint32_t flip;       ///< of KeyRules
  int capacity;             ///< of a block's queue
  std::uint32_t parts;      ///< blocks a row
  void* partial;            ///< rows * parts * k packed entries, where there are parts
  std::uint32_t* counters;  ///< a row's finished parts; 0 before and after
};

/// The worst key that may still enter, as a working value. `rising`: the ids to come are all
/// greater than those that are in, so that equal keys have lost already.
template <typename Working, typename Packed>
__device__ Working working_bound(Packed limit, bool rising) {
  if (limit == missing_entry<Packed>()) return working_of<Working>(kWorstCode);
  const KeyCode code = code_of_entry(limit);
  return working_of<Working>(rising && code > 0 ? code - 1 : code);
}

/// The entries of a run of a row, by their places in it.
template <typename Key, typename Id, typename Packed>
struct RunEntries {
  RowReader<Key> reader;
  const Id* ids;  ///< of the row, or null
  std::uint32_t flip;

  /// The missing entry for a place outside of the run, or without an id.
  __device__ Packed at(std::uint32_t place) const {
    if (place >= reader.length()) return missing_entry<Packed>();
    return at(place, reader.key(place));
  }
  /// The same where the key has been read already.
  __device__ Packed at(std::uint32_t place, Key key) const {
    if (place >= reader.length()) return missing_entry<Packed>();
    const std::uint32_t column = reader.column(place);
    const KeyCode code = code_of_key(key, flip);
    if (ids == nullptr) return pack<Packed>(code, column);
    return pack<Packed>(code, static_cast<typename PackedRules<Packed>::Id>(ids[column]));
  }
};

inline constexpr int kVectorsAtOnce = 4;  // 16-byte loads in flight per thread, and as many before

/// Adds a run to a block's queue. Loads run one tile ahead; two push the keys that candidates are
/// read from out of the L1 cache. Bound by memory: in the common case a key costs one comparison,
/// and a tile one barrier.
template <typename Key, typename Id, typename Packed>
__device__ void add_run(const RunEntries<Key, Id, Packed>& run, BlockQueue<Packed>& queue) {
  using Working = typename KeyRules<Key>::Working;
  constexpr int kKeys = RowReader<Key>::kKeysPerVector;
  const RowReader<Key>& reader = run.reader;
  const std::uint32_t vectors = reader.vectors();
  const std::uint32_t tile = kVectorsAtOnce * blockDim.x;
  uint4 ahead[kVectorsAtOnce];
#pragma unroll
  for (int j = 0; j < kVectorsAtOnce; ++j) ahead[j] = reader.load(threadIdx.x + j * blockDim.x);

  KeyCode best = kWorstCode;
#pragma unroll
  for (int j = 0; j < kVectorsAtOnce; ++j) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const std::uint32_t place = reader.place(threadIdx.x + j * blockDim.x, i);
      const KeyCode code = code_of_key(RowReader<Key>::get(ahead[j], i), run.flip);
      if (place < reader.length()) best = min(best, code);
    }
  }
  if (run.ids == nullptr) queue.foresee(best);  // ids may say that entries do not count

  for (std::uint32_t first = 0; first < vectors; first += tile) {
    const Working bound = working_bound<Working>(queue.limit(), run.ids == nullptr);
    unsigned wanted = 0;
#pragma unroll
    for (int j = 0; j < kVectorsAtOnce; ++j) {
#pragma unroll
      for (int i = 0; i < kKeys; ++i) {
        const auto value = KeyRules<Key>::working(RowReader<Key>::get(ahead[j], i), run.flip);
        if (may_pass(value, bound)) wanted |= 1U << (j * kKeys + i);
      }
    }
    if (first + tile < vectors) {
#pragma unroll
      for (int j = 0; j < kVectorsAtOnce; ++j) {
        ahead[j] = reader.load(first + tile + threadIdx.x + j * blockDim.x);
      }
    }
    queue.add(wanted, [&](int bit) {
      const std::uint32_t vector = first + threadIdx.x + bit / kKeys * blockDim.x;
      return run.at(reader.place(vector, bit % kKeys));
    });
  }
}

/// Adds packed entries that lie in GPU memory.
template <typename Packed>
__device__ void add_entries(const Packed* entries, std::size_t size, BlockQueue<Packed>& queue) {
  constexpr int kAtOnce = 8;
  const std::size_t tile = std::size_t{kAtOnce} * blockDim.x;
  for (std::size_t first = 0; first < size; first += tile) {
    Packed mine[kAtOnce];
    Packed best = missing_entry<Packed>();
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const std::size_t at = first + threadIdx.x + std::size_t{blockDim.x} * j;
      mine[j] = at < size ? entries[at] : missing_entry<Packed>();
    }
    unsigned wanted = 0;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) best = smaller(best, mine[j]);
    if (first == 0) queue.foresee(code_of_entry(best));
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) wanted |= mine[j] < queue.limit() ? 1U << j : 0U;
    queue.add(wanted, [&](int bit) {
      return entries[first + threadIdx.x + std::size_t{blockDim.x} * bit];
    });
  }
}

/// Leaves the best of a part in GPU memory. True in the block that is the row's last to do so.
template <typename Key, typename Id, typename Packed>
__device__ bool hand_in_part(const RowsTask<Key, Id>& task, std::size_t row,
                             BlockQueue<Packed>& queue, bool& last) {
  const int count = queue.gather(task.k);
  Packed* const partial =
      static_cast<Packed*>(task.partial) + static_cast<std::size_t>(task.k) * blockIdx.x;
  for (int i = static_cast<int>(threadIdx.x); i < task.k; i += static_cast<int>(blockDim.x)) {
    partial[i] = i < count ? queue.entries()[i] : missing_entry<Packed>();
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&task.counters[row], 1U) == task.parts - 1;
    if (last) task.counters[row] = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

/// Work item: one of `parts` equal parts of a row; a block each, of whole warps. Shared memory:
/// task.capacity packed entries and 10 KB. The row's last block merges the parts. Bound by reading
/// the keys once.
template <typename Key, typename Packed, typename Id>
__global__ void __launch_bounds__(512, 2) select_by_block(const RowsTask<Key, Id> task) {
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  __shared__ BlockStorage<Packed> storage;
  __shared__ bool last;
  const std::size_t row = blockIdx.x / task.parts;
  const std::uint32_t part = blockIdx.x % task.parts;
  const auto columns = static_cast<std::uint32_t>(task.keys.columns);
  const std::uint32_t each = (columns + task.parts - 1) / task.parts;
  const std::uint32_t begin = min(part * each, columns);

  BlockQueue<Packed> queue(reinterpret_cast<Packed*>(dynamic_memory), task.capacity, task.k,
                           storage);
  const RunEntries<Key, Id, Packed> run{
      RowReader<Key>(task.keys.data + row * task.keys.stride, begin, min(begin + each, columns)),
      task.ids == nullptr ? nullptr : task.ids + row * task.ids_stride, task.flip};
  add_run(run, queue);
  if (task.parts > 1) {
    if (!hand_in_part(task, row, queue, last)) return;
    const std::size_t entries = static_cast<std::size_t>(task.k) * task.parts;
    queue.reset();
    add_entries(static_cast<const Packed*>(task.partial) + row * entries, entries, queue);
  }
  queue.finish();
  for (int i = static_cast<int>(threadIdx.x); i < task.k; i += static_cast<int>(blockDim.x)) {
    const std::size_t out = row * static_cast<std::size_t>(task.k) + i;
    unpack<Key, Id>(queue.entries()[i], task.flip, task.keys_out[out], task.ids_out[out]);
  }
}

inline constexpr int kWarpsPerBlock = 4;

/// Work item: a row; a warp each, 4 warps a block, no shared memory. For short rows: bound by the
/// sorting networks where nearly every key is among the best so far, else by memory.
template <typename Key, typename Packed, typename Id, int kCapacity>
__global__ void __launch_bounds__(32 * kWarpsPerBlock)
    select_by_warp(const RowsTask<Key, Id> task) {
  using Working = typename KeyRules<Key>::Working;
  constexpr int kAtOnce = 4;  // loads in flight
  const std::size_t row = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp;
  if (row >= task.keys.rows) return;
  const auto columns = static_cast<std::uint32_t>(task.keys.columns);
  const RunEntries<Key, Id, Packed> run{
      RowReader<Key>(task.keys.data + row * task.keys.stride, 0, columns),
      task.ids == nullptr ? nullptr : task.ids + row * task.ids_stride, task.flip};
  const bool rising = task.ids == nullptr;

  WarpQueue<Packed, kCapacity> queue(task.k);
  Working bound = working_bound<Working>(queue.limit(), rising);
  for (std::uint32_t first = lane_id(); first - lane_id() < columns; first += 32 * kAtOnce) {
    Working values[kAtOnce] = {};
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const std::uint32_t column = first + 32 * j;
      if (column < columns) values[j] = KeyRules<Key>::working(run.reader.key(column), task.flip);
    }
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const std::uint32_t column = first + 32 * j;
      const bool wanted = column < columns && may_pass(values[j], bound);
      if (!__any_sync(kWholeWarp, wanted)) continue;
      queue.add(wanted ? run.at(column) : missing_entry<Packed>());
      bound = working_bound<Working>(queue.limit(), rising);
    }
  }
  queue.finish();
  queue.visit([&](int rank, Packed entry) {
    const std::size_t out = row * static_cast<std::size_t>(task.k) + rank;
    unpack<Key, Id>(entry, task.flip, task.keys_out[out], task.ids_out[out]);
  });
}

}  // namespace warpdex
