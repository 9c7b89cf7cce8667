// What a block does with entries in shared memory: cutting them down to the k best, and sorting
// them. All functions are for whole blocks of whole warps, and end with a barrier.
#pragma once

#include "warpdex/core/select/packed.cuh"

namespace warpdex {

inline constexpr int kBinBits = 10;
inline constexpr int kBins = 1 << kBinBits;
inline constexpr int kMaxWarps = 32;

/// Shared memory of a cut.
template <typename Packed>
struct CutStorage {
  Packed lowest[kMaxWarps];
  Packed highest[kMaxWarps];
  int bins[kBins];
  int warp_totals[kMaxWarps];
  int bin;      ///< that the k-th entry is in
  int before;   ///< entries in the bins before it
  int inside;   ///< entries in it
  int kept;     ///< entries written back
  int tickets;  ///< entries of the last bin that asked to be kept
};

/// A place behind a shared counter, one atomic for all lanes that ask together.
__device__ inline int next_place(int* counter) {
  const unsigned lanes = __activemask();
  const int lane = static_cast<int>(lane_id());
  const int leader = __ffs(static_cast<int>(lanes)) - 1;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(lanes));
  first = __shfl_sync(lanes, first, leader);
  return first + __popc(lanes & ((1U << lane) - 1));
}

/// The least and the greatest of the entries, the same in all threads.
template <typename Packed>
__device__ void find_range(const Packed* entries, int size, CutStorage<Packed>& storage,
                           Packed& low, Packed& high) {
  low = missing_entry<Packed>();
  high = 0;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    low = smaller(low, entries[i]);
    high = larger(high, entries[i]);
  }
#pragma unroll
  for (int stride = 16; stride > 0; stride /= 2) {
    low = smaller(low, shuffle_xor(low, stride));
    high = larger(high, shuffle_xor(high, stride));
  }
  if (lane_id() == 0) {
    storage.lowest[threadIdx.x / kWarp] = low;
    storage.highest[threadIdx.x / kWarp] = high;
  }
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) {
    low = smaller(low, storage.lowest[warp]);
    high = larger(high, storage.highest[warp]);
  }
}

/// Counts the entries of [low, high] by their place in that range, in bins of 2^shift.
template <typename Packed>
__device__ void fill_bins(const Packed* entries, int size, CutStorage<Packed>& storage, Packed low,
                          Packed high, int shift) {
  for (int i = static_cast<int>(threadIdx.x); i < kBins; i += static_cast<int>(blockDim.x)) {
    storage.bins[i] = 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    const Packed entry = entries[i];
    if (entry < low || high < entry) continue;
    atomicAdd(&storage.bins[static_cast<int>((entry - low) >> shift)], 1);
  }
  __syncthreads();
}

/// Inclusive prefix sum over the lanes.
__device__ inline int sum_up_to_lane(int value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(kWholeWarp, value, distance);
    if (static_cast<int>(lane_id()) >= distance) value += other;
  }
  return value;
}

/// Finds the bin that holds the entry of rank `need` (from 1), if there is one, and how many are in
/// it and before it; one thread writes them. `bins` and the results are in shared memory.
template <int kBinCount>
__device__ void find_bin(const int* bins, int* warp_totals, int need, int& bin, int& before,
                         int& inside) {
  const int threads = static_cast<int>(blockDim.x);
  const int each = (kBinCount + threads - 1) / threads;
  const int first = min(static_cast<int>(threadIdx.x) * each, kBinCount);
  int total = 0;
  for (int i = first; i < min(first + each, kBinCount); ++i) total += bins[i];
  const int up_to_here = sum_up_to_lane(total);
  if (lane_id() == 31) warp_totals[threadIdx.x / kWarp] = up_to_here;
  __syncthreads();
  int sum = up_to_here - total;
  for (unsigned warp = 0; warp < threadIdx.x / kWarp; ++warp) sum += warp_totals[warp];
  if (sum < need && need <= sum + total) {
    int i = first;
    while (sum + bins[i] < need) sum += bins[i++];
    bin = i;
    before = sum;
    inside = bins[i];
  }
  __syncthreads();
}

/// Moves the entries below `low`, and `need` of those in [low, high], to the front.
template <typename Packed>
__device__ void keep_below(Packed* entries, int size, CutStorage<Packed>& storage, Packed low,
                           Packed high, int need) {
  constexpr int kAtOnce = 4;
  const int threads = static_cast<int>(blockDim.x);
  for (int base = 0; base < size; base += kAtOnce * threads) {
    Packed mine[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const int at = base + j * threads + static_cast<int>(threadIdx.x);
      mine[j] = at < size ? entries[at] : missing_entry<Packed>();
    }
    __syncthreads();  // no more is kept than has been read, so nothing unread is overwritten
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      if (high < mine[j]) continue;
      if (mine[j] < low || next_place(&storage.tickets) < need) {
        entries[next_place(&storage.kept)] = mine[j];
      }
    }
  }
  __syncthreads();
}

/// Cuts `size` entries, more than k and none of them missing, down to the k best, which then stand
/// first in any order. Returns a limit: entries of others that do not lie below it cannot be among
/// the k best of all.
///
/// Narrows a range about the k-th entry by histograms of 1024 bins until all of its entries are
/// wanted: two or three rounds for common keys, whatever k is. Bound by barriers and shared memory.
template <typename Packed>
__device__ Packed cut_to_best(Packed* entries, int size, int k, CutStorage<Packed>& storage) {
  if (threadIdx.x == 0) storage.kept = storage.tickets = 0;
  Packed low;
  Packed high;
  find_range(entries, size, storage, low, high);
  int need = k;
  for (;;) {
    const int shift = max(0, bit_width(high - low) - kBinBits);
    fill_bins(entries, size, storage, low, high, shift);
    find_bin<kBins>(storage.bins, storage.warp_totals, need, storage.bin, storage.before,
                    storage.inside);
    need -= storage.before;
    low += static_cast<Packed>(storage.bin) << shift;
    const Packed width = (Packed{1} << shift) - 1;
    if (width < high - low) high = low + width;  // the sum alone could pass the type's end
    if (shift == 0 || storage.inside == need) break;
  }
  keep_below(entries, size, storage, low, high, need);
  // A single entry is the k-th itself, and others must be below it; a range may end anywhere above.
  return low == high ? low : high + 1;
}

/// How many of the values come before value `index`, which is `value`; of equal ones the earlier.
template <typename T>
__device__ int count_before(const T* values, int size, T value, int index) {
  int count = 0;
#pragma unroll 8
  for (int i = 0; i < size; ++i) {
    const T other = values[i];
    count += other < value || (other == value && i < index) ? 1 : 0;
  }
  return count;
}

inline constexpr int kFewEntries = 256;

/// Sorts up to kFewEntries entries, in a block of at least as many threads, by counting how many
/// come before each: two barriers where a network has dozens.
template <typename Packed>
__device__ void sort_few(Packed* entries, int size) {
  const int mine = static_cast<int>(threadIdx.x);
  const Packed entry = mine < size ? entries[mine] : missing_entry<Packed>();
  const int rank = mine < size ? count_before(entries, size, entry, mine) : 0;
  __syncthreads();
  if (mine < size) entries[rank] = entry;
  __syncthreads();
}

/// Whether sort_few() can be used.
__device__ inline bool are_few(int size) {
  return size <= kFewEntries && blockDim.x >= kFewEntries;
}

/// Sorts `size` entries, rising; the array has room for the next power of two.
template <typename Packed>
__device__ void sort_entries(Packed* entries, int size) {
  if (are_few(size)) return sort_few(entries, size);
  int padded = 2;
  while (padded < size) padded *= 2;
  const int threads = static_cast<int>(blockDim.x);
  for (int i = size + static_cast<int>(threadIdx.x); i < padded; i += threads) {
    entries[i] = missing_entry<Packed>();
  }
  __syncthreads();
  for (int run = 2; run <= padded; run *= 2) {
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int pair = static_cast<int>(threadIdx.x); pair < padded / 2; pair += threads) {
        const int left = 2 * pair - (pair & (stride - 1));
        // The first comparators of a merge are mirrored, so that every run rises.
        const int right = stride == run / 2 ? left ^ (run - 1) : left + stride;
        const Packed a = entries[left];
        const Packed b = entries[right];
        if (b < a) {
          entries[left] = b;
          entries[right] = a;
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace warpdex
