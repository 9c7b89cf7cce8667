// BlockQueue: a block keeps the k best entries that it is given, in shared memory.
#pragma once

#include "warpdex/core/select/block_cut.cuh"
#include "warpdex/core/select/capacities.hpp"
#include "warpdex/core/select/networks.cuh"

namespace warpdex {

/// Shared memory of a BlockQueue, beside its entries.
template <typename Packed>
struct BlockStorage {
  CutStorage<Packed> cut;
  KeyCode codes[32 * kMaxWarps];  ///< of foresee()
  KeyCode bound;                  ///< likewise
  int count;  ///< places given away; may pass the capacity, by those that got none
};

/// The queue, over packed entries. Entries that beat the limit are appended in any order; when
/// there is no room, a cut leaves the k best and lowers the limit. So for k = 1000 of 131,072
/// random keys there are three cuts, and over 90 % of the keys cost one comparison each.
///
/// All functions are for whole blocks, of up to 1024 threads in whole warps.
template <typename Packed>
class BlockQueue {
 public:
  /// `entries`: shared memory for `capacity` entries, which block_capacity() gives.
  __device__ BlockQueue(Packed* entries, int capacity, int k, BlockStorage<Packed>& storage)
      : storage_(storage), entries_(entries), capacity_(capacity), k_(k) {
    reset();
  }

  /// Empties the queue.
  __device__ void reset() {
    __syncthreads();
    limit_ = missing_entry<Packed>();
    if (threadIdx.x == 0) storage_.count = 0;
    __syncthreads();
  }

  /// Entries that are not below this cannot enter. The same in all threads; never rises.
  __device__ Packed limit() const { return limit_; }

  /// Lowers the limit before the first entries are added. `best` is the best code of those that
  /// this thread is going to add, or kWorstCode. The k-th best of the threads' codes is a limit,
  /// since k threads have an entry at or below it; so is the k-th best of some of the codes. Does
  /// nothing where k is more than half of the threads.
  __device__ void foresee(KeyCode best) {
    const int warps = static_cast<int>(blockDim.x / kWarp);
    const int each = max(4, 2 * ((k_ + warps - 1) / warps));  // of a warp's codes take part
    if (each > 32) return;
    const int lane = static_cast<int>(lane_id());
    sort_lanes(best);
    if (lane < each) storage_.codes[threadIdx.x / kWarp * each + lane] = best;
    if (threadIdx.x == 0) storage_.bound = kWorstCode;
    __syncthreads();
    const int size = warps * each;
    if (static_cast<int>(threadIdx.x) < size) {
      const int mine = static_cast<int>(threadIdx.x);
      const KeyCode code = storage_.codes[mine];
      if (count_before(storage_.codes, size, code, mine) == k_ - 1) storage_.bound = code;
    }
    __syncthreads();
    const KeyCode bound = storage_.bound;
    if (bound == kWorstCode) return;
    limit_ = smaller(limit_, Packed{bound + 1} << PackedRules<Packed>::kIdBits);
  }

  /// Adds entry(i) for every bit i of `wanted`, which differs from thread to thread.
  template <typename Entry>
  __device__ void add(unsigned wanted, Entry&& entry) {
    for (;;) {
      while (wanted != 0) {
        const int i = __ffs(static_cast<int>(wanted)) - 1;
        const Packed candidate = entry(i);
        if (candidate < limit_) {
          const int place = next_place(&storage_.count);
          if (place >= capacity_) break;
          entries_[place] = candidate;
        }
        wanted &= wanted - 1;
      }
      if (__syncthreads_or(wanted != 0) == 0) return;
      cut(capacity_);
    }
  }

  /// After the last entry: leaves the best of the entries in any order, at most `max_count` of
  /// them, which is k or more. Returns how many.
  __device__ int gather(int max_count) {
    const int count = min(storage_.count, capacity_);
    if (count <= max_count) return count;
    if (are_few(count)) {
      sort_few(entries_, count);
    } else {
      cut(count);
    }
    return k_;
  }

  /// After the last entry: sorts. The first k entries are then the best, best first; behind the
  /// last entry they are missing ones.
  __device__ void finish() {
    const int count = gather(max(k_, kFewEntries));
    for (int i = count + static_cast<int>(threadIdx.x); i < k_; i += static_cast<int>(blockDim.x)) {
      entries_[i] = missing_entry<Packed>();
    }
    sort_entries(entries_, count);
  }

  __device__ const Packed* entries() const { return entries_; }

 private:
  __device__ void cut(int count) {
    limit_ = smaller(limit_, cut_to_best(entries_, count, k_, storage_.cut));
    if (threadIdx.x == 0) storage_.count = k_;
    __syncthreads();
  }

  BlockStorage<Packed>& storage_;
  Packed* entries_;
  Packed limit_;
  int capacity_;
  int k_;
};

}  // namespace warpdex
