// The host's side of select_k(): checks, the choice of a method, launches. Included by one source
// for each type of key.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/select/block_limit.hpp"
#include "warpdex/core/select/instantiate.hpp"
#include "warpdex/core/select/radix_kernels.cuh"
#include "warpdex/core/select/row_kernels.cuh"

namespace warpdex {

/// Threads of a block: few where there are many rows and small queues, so that more blocks run side
/// by side and wait apart from each other.
inline constexpr unsigned kRowThreads = 256;
inline constexpr unsigned kPartThreads = 512;

inline int multiprocessors(int device) { return static_cast<int>(chip_of(device).multiprocessors); }

/// Blocks that share a row. More read faster; the row's last block merges k entries of each, so
/// the parts that cost least grow with the root of columns / k.
inline std::uint32_t parts_of_row(std::size_t rows, std::size_t columns, std::size_t k,
                                  std::size_t processors) {
  const std::size_t blocks = 2 * processors;  // two of kPartThreads run side by side
  if (rows >= processors) return 1;
  const std::size_t by_size = columns / 8192;
  const auto by_merge = static_cast<std::size_t>(
      2 * std::sqrt(static_cast<double>(columns) / static_cast<double>(k)));
  return static_cast<std::uint32_t>(
      std::max<std::size_t>(1, std::min({blocks / rows, by_size, by_merge})));
}

inline void require(bool holds, const std::string& what) {
  if (!holds) throw UsageError("k-selection on the GPU: " + what);
}

template <typename Key, typename Id>
void check_task(const RowsTask<Key, Id>& task, std::size_t k) {
  const MatrixView<Key>& keys = task.keys;
  constexpr std::size_t kLimit = std::size_t{1} << 31;
  require(k > 0 && k < kLimit, "k must be from 1 to 2^31 - 1, not " + std::to_string(k));
  require(keys.columns < kLimit && keys.rows < kLimit,
          "a matrix has fewer than 2^31 rows and columns, not " + std::to_string(keys.rows) +
              " x " + std::to_string(keys.columns) + "; select from parts of it");
  require(keys.rows * k < std::size_t{1} << 40, "rows * k must be below 2^40");
  require(keys.rows < 2 || keys.columns <= keys.stride || keys.stride == 0,
          "the rows overlap: the stride is " + std::to_string(keys.stride) + ", the columns are " +
              std::to_string(keys.columns));
}

/// task.parts blocks a row.
template <typename Key, typename Packed, typename Id>
void launch_blocks(RowsTask<Key, Id> task, SelectScratch& scratch, const Stream& stream) {
  const MatrixView<Key>& keys = task.keys;
  const auto k = static_cast<std::size_t>(task.k);
  task.capacity = block_capacity(k);
  if (task.parts > 1) {
    task.partial = scratch.memory(keys.rows * task.parts * k * sizeof(Packed), stream);
    task.counters = scratch.counters(keys.rows, stream);
  }
  const auto kernel = select_by_block<Key, Packed, Id>;
  const std::size_t shared = static_cast<std::size_t>(task.capacity) * sizeof(Packed);
  constexpr std::size_t kWithoutAsking = 36 << 10;  // 48 KB less the static part
  if (shared > kWithoutAsking) allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const auto blocks = static_cast<unsigned>(keys.rows * task.parts);
  const unsigned threads = task.parts > 1 || task.capacity > 4096 ? kPartThreads : kRowThreads;
  kernel<<<blocks, threads, shared, stream.handle()>>>(task);
  check_launch("select_by_block");
}

/// By the smallest capacity that holds k. False if none does.
template <typename Key, typename Packed, typename Id, int... kCapacities>
bool launch_warps(const RowsTask<Key, Id>& task, const Stream& stream,
                  std::integer_sequence<int, kCapacities...>) {
  const auto blocks = static_cast<unsigned>((task.keys.rows + kWarpsPerBlock - 1) / kWarpsPerBlock);
  const auto launch = [&]<int kCapacity>() {
    if (task.k > kCapacity) return false;
    select_by_warp<Key, Packed, Id, kCapacity>
        <<<blocks, 32 * kWarpsPerBlock, 0, stream.handle()>>>(task);
    check_launch("select_by_warp");
    return true;
  };
  return (launch.template operator()<kCapacities>() || ...);
}

/// The radix path over one batch of rows.
template <typename Key, typename Packed, typename Id>
void launch_radix(const RadixTask<Key, Packed, Id>& task, void* sort_scratch,
                  const Stream& stream) {
  const cudaStream_t handle = stream.handle();
  const std::size_t rows = task.rows.keys.rows;
  const std::size_t entries = rows * static_cast<std::size_t>(task.rows.k);
  const auto processors = static_cast<std::size_t>(multiprocessors(stream.device()));
  const auto flat = static_cast<unsigned>(std::min((entries + 255) / 256, processors * 16));
  const std::size_t row_blocks =
      task.rows.keys.columns / (kRadixThreads * RowReader<Key>::kKeysPerVector) + 1;
  const dim3 shares(
      static_cast<unsigned>(std::min(row_blocks, std::max<std::size_t>(1, processors * 4 / rows))),
      static_cast<unsigned>(rows));
  check_cuda(cudaMemsetAsync(task.bins, 0, rows * kDigits * sizeof(int), handle),
             "cudaMemsetAsync");
  start_radix<<<flat, 256, 0, handle>>>(task);
  check_launch("start_radix");
  if (static_cast<std::size_t>(task.rows.k) < task.rows.keys.columns) {
    for (int bits = 0; bits < kPackedBits<Packed>; bits += kDigitBits) {
      count_digits<<<shares, kRadixThreads, 0, handle>>>(task);
      check_launch("count_digits");
      narrow_prefix<<<static_cast<unsigned>(rows), kRadixThreads, 0, handle>>>(task);
      check_launch("narrow_prefix");
    }
  }
  collect<<<shares, kRadixThreads, 0, handle>>>(task);
  check_launch("collect");
  sort_selected(task.selected, entries, sort_scratch, stream);
  write_selected<<<flat, 256, 0, handle>>>(task);
  check_launch("write_selected");
}

/// In batches of rows, so that scratch memory stays near 512 MB, or what there is, where k allows.
template <typename Key, typename Packed, typename Id>
void select_by_radix(const RowsTask<Key, Id>& all, SelectScratch& scratch, const Stream& stream) {
  const std::size_t budget = std::min(std::size_t{512} << 20, scratch.limit() / 8 * 7);
  constexpr std::size_t kMaxRows = 65535;  // blockIdx.y
  const auto k = static_cast<std::size_t>(all.k);
  const std::size_t a_row = k * 2 * sizeof(SelectedEntry) + kDigits * sizeof(int) + 64;
  const std::size_t batch =
      std::min({all.keys.rows, kMaxRows, std::max<std::size_t>(1, budget / a_row)});
  const auto aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t selected = aligned(batch * k * sizeof(SelectedEntry));
  const std::size_t states = aligned(batch * sizeof(RadixState<Packed>));
  const std::size_t bins = aligned(batch * kDigits * sizeof(int));
  auto* const memory = static_cast<std::uint8_t*>(
      scratch.memory(selected + states + bins + sort_selected_bytes(batch * k), stream));
  for (std::size_t row = 0; row < all.keys.rows; row += batch) {
    RadixTask<Key, Packed, Id> task{};
    task.rows = all;
    task.rows.keys.data += row * all.keys.stride;
    task.rows.keys.rows = std::min(batch, all.keys.rows - row);
    if (all.ids != nullptr) task.rows.ids += row * all.ids_stride;
    task.rows.keys_out += row * k;
    task.rows.ids_out += row * k;
    task.selected = reinterpret_cast<SelectedEntry*>(memory);
    task.states = reinterpret_cast<RadixState<Packed>*>(memory + selected);
    task.bins = reinterpret_cast<int*>(memory + selected + states);
    launch_radix(task, memory + selected + states + bins, stream);
  }
}

template <typename Key, typename Packed, typename Id>
void select_rows(RowsTask<Key, Id> task, std::size_t k, SelectScratch& scratch,
                 const Stream& stream) {
  check_task(task, k);
  if (task.keys.rows == 0) return;
  task.k = static_cast<int>(k);
  const CurrentDevice current(stream.device());
  const std::size_t columns = task.keys.columns;
  if constexpr (std::is_same_v<Packed, Packed32>) {
    if (columns <= warp_row_columns(k) &&
        launch_warps<Key, Packed>(task, stream, RowCapacities())) {
      return;
    }
  }
  task.parts = parts_of_row(task.keys.rows, columns, k,
                            static_cast<std::size_t>(multiprocessors(stream.device())));
  if (k <= block_select_limit(sizeof(Packed)) &&
      (task.parts == 1 || task.parts * k <= kMaxPartEntries)) {
    launch_blocks<Key, Packed>(task, scratch, stream);
  } else {
    select_by_radix<Key, Packed>(task, scratch, stream);
  }
}

template <typename Key, typename Id>
void select_k(const MatrixView<Key>& keys, std::size_t k, SelectOrder order, Key* keys_out,
              Id* ids_out, SelectScratch& scratch, const Stream& stream) {
  RowsTask<Key, Id> task{};
  task.keys = keys;
  task.keys_out = keys_out;
  task.ids_out = ids_out;
  task.flip = KeyRules<Key>::flip(order);
  select_rows<Key, Packed32>(task, k, scratch, stream);  // columns fit 32 bits
}

template <typename Key, typename Id>
void select_k(const MatrixView<Key>& keys, const MatrixView<Id>& ids, std::size_t k,
              SelectOrder order, Key* keys_out, Id* ids_out, SelectScratch& scratch,
              const Stream& stream) {
  require(ids.rows == keys.rows && ids.columns == keys.columns,
          "there must be as many ids as keys, not " + std::to_string(ids.rows) + " x " +
              std::to_string(ids.columns));
  RowsTask<Key, Id> task{};
  task.keys = keys;
  task.ids = ids.data;
  task.ids_stride = ids.stride;
  task.keys_out = keys_out;
  task.ids_out = ids_out;
  task.flip = KeyRules<Key>::flip(order);
  select_rows<Key, PackedFor<Id>>(task, k, scratch, stream);
}

}  // namespace warpdex
