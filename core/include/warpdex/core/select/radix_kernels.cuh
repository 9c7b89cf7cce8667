// The kernels for any k: they narrow down, digit by digit from the top of the packed entries, which
// of a row's entries is the k-th, then collect what is not worse.
#pragma once

#include "warpdex/core/select/block_cut.cuh"
#include "warpdex/core/select/row_kernels.cuh"
#include "warpdex/core/select/row_reader.cuh"
#include "warpdex/core/select/selected_entry.hpp"

namespace warpdex {

inline constexpr int kDigitBits = 11;
inline constexpr int kDigits = 1 << kDigitBits;
inline constexpr int kRadixThreads = 512;

/// What is known of a row's k-th entry: its bits from `shift` on.
template <typename Packed>
struct RadixState {
  Packed prefix;
  int shift;
  int need;     ///< rank of the k-th among the entries of this prefix, from 1
  int done;     ///< all entries of the prefix are wanted, or it is a whole entry
  int tickets;  ///< entries equal to a whole prefix that asked to be kept
  int kept;     ///< places given away
};

/// What the kernels are asked; row 0 is the batch's first.
template <typename Key, typename Packed, typename Id>
struct RadixTask {
  RowsTask<Key, Id> rows;
  RadixState<Packed>* states;  ///< a row's
  int* bins;                   ///< kDigits a row, 0 between rounds
  SelectedEntry* selected;     ///< k a row
};

template <typename Packed>
inline constexpr int kPackedBits = 32 + PackedRules<Packed>::kIdBits;

/// Work item: one place of the result; grid-stride over rows * k. Nothing selected yet.
template <typename Key, typename Packed, typename Id>
__global__ void start_radix(const RadixTask<Key, Packed, Id> task) {
  const std::size_t k = static_cast<std::size_t>(task.rows.k);
  const std::size_t size = task.rows.keys.rows * k;
  const bool all = k >= task.rows.keys.columns;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t row = i / k;
    task.selected[i] = {static_cast<std::uint32_t>(row), kWorstCode, ~std::uint64_t{0}};
    if (i % k != 0) continue;
    task.states[row] = {all ? missing_entry<Packed>() : Packed{0},
                        all ? 0 : kPackedBits<Packed>,
                        task.rows.k,
                        all ? 1 : 0,
                        0,
                        0};
  }
}

/// Calls visit(entry) for the entries of the block's share of row blockIdx.y.
template <typename Key, typename Packed, typename Id, typename Visit>
__device__ void visit_share(const RowsTask<Key, Id>& task, Visit&& visit) {
  const std::size_t row = blockIdx.y;
  const auto columns = static_cast<std::uint32_t>(task.keys.columns);
  const RunEntries<Key, Id, Packed> run{
      RowReader<Key>(task.keys.data + row * task.keys.stride, 0, columns),
      task.ids == nullptr ? nullptr : task.ids + row * task.ids_stride, task.flip};
  constexpr int kKeys = RowReader<Key>::kKeysPerVector;
  for (std::uint32_t vector = blockIdx.x * blockDim.x + threadIdx.x; vector < run.reader.vectors();
       vector += gridDim.x * blockDim.x) {
    const uint4 keys = run.reader.load(vector);
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const Packed entry = run.at(run.reader.place(vector, i), RowReader<Key>::get(keys, i));
      if (entry != missing_entry<Packed>()) visit(entry);
    }
  }
}

/// Work item: a share of a row (blockIdx.y); shared memory: 8 KB. Counts, among the entries of the
/// row's prefix, the digit below it. Bound by reading the keys.
template <typename Key, typename Packed, typename Id>
__global__ void __launch_bounds__(kRadixThreads)
    count_digits(const RadixTask<Key, Packed, Id> task) {
  __shared__ int bins[kDigits];
  const RadixState<Packed> state = task.states[blockIdx.y];
  if (state.done != 0) return;
  for (int i = static_cast<int>(threadIdx.x); i < kDigits; i += kRadixThreads) bins[i] = 0;
  __syncthreads();
  const int shift = max(0, state.shift - kDigitBits);
  const int digits = 1 << (state.shift - shift);
  const bool first = state.shift == kPackedBits<Packed>;
  visit_share<Key, Packed, Id>(task.rows, [&](Packed entry) {
    if (!first && (entry >> state.shift) != state.prefix) return;
    atomicAdd(&bins[static_cast<int>(entry >> shift) & (digits - 1)], 1);
  });
  __syncthreads();
  int* const out = task.bins + std::size_t{blockIdx.y} * kDigits;
  for (int i = static_cast<int>(threadIdx.x); i < kDigits; i += kRadixThreads) {
    if (bins[i] != 0) atomicAdd(&out[i], bins[i]);
  }
}

/// Work item: a row; a block each. Lengthens the row's prefix by the digit that the k-th entry has,
/// and clears the bins.
template <typename Key, typename Packed, typename Id>
__global__ void __launch_bounds__(kRadixThreads)
    narrow_prefix(const RadixTask<Key, Packed, Id> task) {
  __shared__ int bins[kDigits];
  __shared__ int warp_totals[kMaxWarps];
  __shared__ int found[3];
  RadixState<Packed>& state = task.states[blockIdx.x];
  if (state.done != 0) return;
  int* const counted = task.bins + std::size_t{blockIdx.x} * kDigits;
  for (int i = static_cast<int>(threadIdx.x); i < kDigits; i += kRadixThreads) {
    bins[i] = counted[i];
    counted[i] = 0;
  }
  if (threadIdx.x == 0) found[0] = -1;
  __syncthreads();
  find_bin<kDigits>(bins, warp_totals, state.need, found[0], found[1], found[2]);
  if (threadIdx.x != 0) return;
  if (found[0] < 0) {  // the row has fewer entries than k: all are wanted
    state = {missing_entry<Packed>(), 0, state.need, 1, 0, 0};
    return;
  }
  const int shift = max(0, state.shift - kDigitBits);
  const Packed above =
      state.shift == kPackedBits<Packed> ? 0 : state.prefix << (state.shift - shift);
  state.prefix = above | static_cast<Packed>(found[0]);
  state.shift = shift;
  state.need -= found[1];
  state.done = shift == 0 || found[2] == state.need ? 1 : 0;
}

/// Work item: a share of a row (blockIdx.y). Writes its entries that are not worse than the k-th,
/// in any order. Bound by reading the keys.
template <typename Key, typename Packed, typename Id>
__global__ void __launch_bounds__(kRadixThreads) collect(const RadixTask<Key, Packed, Id> task) {
  RadixState<Packed>& state = task.states[blockIdx.y];
  const Packed prefix = state.prefix;
  const int shift = state.shift;
  const int need = state.need;
  SelectedEntry* const out = task.selected + std::size_t{blockIdx.y} * task.rows.k;
  visit_share<Key, Packed, Id>(task.rows, [&](Packed entry) {
    const Packed top = entry >> shift;
    if (prefix < top) return;
    // Only entries of one id, which a row should not have, can be more than are wanted.
    if (shift == 0 && top == prefix && next_place(&state.tickets) >= need) return;
    out[next_place(&state.kept)] = {blockIdx.y, code_of_entry(entry), id_of_entry(entry)};
  });
}

/// Work item: one place of the result; grid-stride over rows * k.
template <typename Key, typename Packed, typename Id>
__global__ void write_selected(const RadixTask<Key, Packed, Id> task) {
  const std::size_t size = task.rows.keys.rows * static_cast<std::size_t>(task.rows.k);
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const SelectedEntry entry = task.selected[i];
    const bool missing = entry.id == ~std::uint64_t{0};
    task.rows.keys_out[i] =
        missing ? missing_key<Key>(task.rows.flip) : key_of_code<Key>(entry.code, task.rows.flip);
    task.rows.ids_out[i] = missing ? kNoId<Id> : static_cast<Id>(entry.id);
  }
}

}  // namespace warpdex
