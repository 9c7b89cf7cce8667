// Lists in GPU memory that does not hold all of them, shared by the searchers of an index.
// Internal.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/list_space.hpp"

namespace warpdex::gpu {

/// An upload of lists by one searcher. Others may pin these lists before they have arrived.
struct Transfer {
  explicit Transfer(int device) : arrived(device) {}
  Event arrived;  ///< recorded once it is queued
  enum class Status { kPlanned, kQueued, kFailed } status = Status::kPlanned;
};

/// What a part of a batch holds in the cache.
struct PinnedLists {
  std::vector<ListSpace::Id> lists;               ///< one entry a pin
  std::vector<ListSpace::Id> loads;               ///< of them, those that it brings in
  std::shared_ptr<Transfer> transfer;             ///< of the loads
  std::vector<std::shared_ptr<Transfer>> others;  ///< of other searchers, not known to be over
};

/// A list and its size in bytes.
struct ListUse {
  ListSpace::Id list;
  std::size_t bytes;
};

/// Any thread. What is pinned stays where it is.
class ListCache {
 public:
  /// Takes up to `bytes` of the budget, in as few slabs as the GPU's memory allows.
  ListCache(std::size_t bytes, MemoryBudget& budget, int device);

  /// Bytes that it took.
  std::size_t capacity() const { return space_.capacity(); }

  /// Where a pinned list is: a device pointer.
  std::uint8_t* address(ListSpace::Id list) const;

  /// Announces queries that will need the lists; a negative number takes it back.
  void want(std::span<const ListUse> lists, std::int64_t queries);

  /// Sets `are_in[i]` to whether the i-th list is in.
  void look_up(std::span<const ListUse> lists, std::vector<bool>& are_in) const;

  /// Pins a query's lists (distinct ones), all of them or none; those that are not in are given
  /// room and are for the caller to upload, as `pinned` says. False if there is no room beside what
  /// is pinned.
  bool pin(std::span<const ListUse> lists, PinnedLists& pinned);

  /// The caller has queued the loads and recorded the transfer's event.
  void queued(const PinnedLists& pinned);
  /// Makes the stream's work wait for all lists. Throws CudaError if another's upload failed.
  void await(const PinnedLists& pinned, const Stream& stream);
  /// The GPU is done with the lists. Lists whose transfer was never queued are forgotten; nothing
  /// may be under way to them.
  void unpin(PinnedLists& pinned);

 private:
  bool forget_failed(std::span<const ListUse> lists);
  void roll_back(PinnedLists& pinned, std::size_t lists, std::size_t loads);

  std::vector<AccountedBuffer> slabs_;
  int device_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ListSpace space_;
  std::unordered_map<ListSpace::Id, std::shared_ptr<Transfer>> arriving_;
};

}  // namespace warpdex::gpu
