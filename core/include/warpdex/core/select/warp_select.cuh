// WarpQueue: WarpSelect, by which a warp keeps the k best entries that it is given, in registers
// only. Section 4.2 of Johnson, Douze, Jégou, "Billion-scale similarity search with GPUs".
#pragma once

#include "warpdex/core/select/capacities.hpp"
#include "warpdex/core/select/networks.cuh"

namespace warpdex {

/// The queues, over packed entries. kCapacity: the most that k may be, a multiple of 32. pack() and
/// unpack() make entries of keys and ids:
///
///   WarpQueue<PackedFor<Id>, 128> queue(k);
///   for (…) queue.add(pack<PackedFor<Id>>(code_of_key(key, flip), id));  // all 32 lanes
///   queue.finish();
///   queue.visit([&](int rank, PackedFor<Id> entry) { unpack(entry, flip, keys[rank], ids[rank]);
///   });
///
/// The warp queue holds the best entries so far, sorted over the lanes. An entry that is better
/// than its k-th waits in its lane's thread queue; when one of those is full, all are sorted as one
/// array and merged into the warp queue. Unlike the paper's, thread queues are not kept in order:
/// the sort of the merge does not profit from it, and inserting is then a move of registers.
template <typename Packed, int kCapacity>
class WarpQueue {
  static_assert(kCapacity % 32 == 0, "a warp queue fills whole registers");

 public:
  /// k in [1, kCapacity], the same in all lanes.
  __device__ explicit WarpQueue(int k) : k_(k) {
#pragma unroll
    for (int i = 0; i < kWarpRegisters; ++i) warp_queue_[i] = missing_entry<Packed>();
    clear_thread_queue();
  }

  /// Entries that are not below this cannot enter. The same in all lanes; never rises.
  __device__ Packed limit() const { return limit_; }

  /// One entry a lane, for whole warps; a lane that has none gives missing_entry().
  __device__ void add(Packed entry) {
    if (entry < limit_) {
#pragma unroll
      for (int i = kThreadRegisters - 1; i > 0; --i) thread_queue_[i] = thread_queue_[i - 1];
      thread_queue_[0] = entry;
      ++waiting_;
    }
    if (__any_sync(kWholeWarp, waiting_ == kThreadRegisters)) merge();
  }

  /// After the last entry, for whole warps: sorts what still waits. add() may follow again.
  __device__ void finish() {
    if (__any_sync(kWholeWarp, waiting_ > 0)) merge();
  }

  /// After finish(), for whole warps: calls visit(rank, entry) for the ranks below k, best first,
  /// each in one lane. Ranks without an entry have the missing one.
  template <typename Visit>
  __device__ void visit(Visit&& visit_entry) const {
    const int lane = static_cast<int>(lane_id());
#pragma unroll
    for (int i = 0; i < kWarpRegisters; ++i) {
      if (32 * i + lane < k_) visit_entry(32 * i + lane, warp_queue_[i]);
    }
  }

 private:
  static constexpr int kWarpRegisters = kCapacity / 32;
  static constexpr int kThreadRegisters = thread_queue_length(kCapacity);

  __device__ void clear_thread_queue() {
#pragma unroll
    for (int i = 0; i < kThreadRegisters; ++i) thread_queue_[i] = missing_entry<Packed>();
    waiting_ = 0;
  }

  __device__ void merge() {
    sort_odd<0, kThreadRegisters>(thread_queue_);
    merge_into(warp_queue_, thread_queue_);
    clear_thread_queue();
    Packed last = warp_queue_[0];
#pragma unroll
    for (int i = 1; i < kWarpRegisters; ++i) last = i == (k_ - 1) / 32 ? warp_queue_[i] : last;
    limit_ = shuffle(last, (k_ - 1) % 32);
  }

  Packed warp_queue_[kWarpRegisters];
  Packed thread_queue_[kThreadRegisters];
  Packed limit_ = missing_entry<Packed>();
  int k_;
  int waiting_ = 0;
};

}  // namespace warpdex
