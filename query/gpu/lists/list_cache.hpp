// A cache of lists in GPU memory that is too small for all of them. The lanes of an index share
// it. Kernels read other lists in page-locked host memory. Internal.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/batch/segment_plans.hpp"
#include "gpu/lists/host_lists.hpp"
#include "warpdex/core/cache/cache_space.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// The long lists of a batch under way.
struct BatchLists {
  std::uint64_t number = 0;                 ///< the batch's number; 0: none is under way
  std::vector<const PostingsEntry*> uses;   ///< once for each use by a query of the batch
  std::uint64_t hits = 0;                   ///< uses of lists that were resident
  std::vector<std::uint32_t> unanswerable;  ///< queries with a list that no kernel can read
};

/// Any thread may use it. Bytes that a batch under way may read are not overwritten.
class ListCache {
 public:
  /// Takes up to `bytes` of the budget, in as few slabs as the GPU's memory allows. Index and host
  /// lists must outlive this.
  ListCache(const Index& index, const HostLists& host, std::size_t bytes, MemoryBudget& budget,
            int device);
  /// Waits for the copies that are under way.
  ~ListCache();

  /// Bytes of all slabs.
  std::size_t capacity() const { return space_.capacity(); }

  /// Fills `lists` with the long lists of a batch and keeps the resident ones until end(). No batch
  /// is under way with `lists`. Ignores queries of more than kMaxGpuTerms terms. Throws CudaError.
  void begin(SegmentPlans plans, BatchLists& lists);
  /// Whether a long list is resident, without the mutex. A list of a batch under way then stays so.
  bool is_resident(const PostingsEntry& list) const;
  /// Where kernels read a list of a batch under way.
  EncodedBytes find(const PostingsEntry& list) const;
  /// Call after the kernels were launched. Counts the uses, and queues copies of the lists that are
  /// to become resident. Nothing waits for the copies: until they have arrived, kernels read the
  /// lists as before. Returns their bytes. Throws CudaError, and then none of these lists becomes
  /// resident.
  std::uint64_t load(const BatchLists& lists);
  /// The GPU has finished the batch, if one is under way.
  void end(BatchLists& lists) noexcept;

 private:
  /// The state of a list, by its first block.
  struct Slot {
    std::atomic<std::uint32_t> place = 0;  ///< 0: not resident; else 1 plus its place in units of
                                           ///< CacheSpace::kAlignment, counted through all slabs
    std::uint64_t batch = 0;               ///< the last that may read it there
  };
  /// Copies that arrive together.
  struct Transfer {
    Event arrived;
    std::vector<CacheSpace::Id> lists;
    std::size_t bytes = 0;
  };
  struct Copy {
    const PostingsEntry* list;
    std::uint8_t* to;
  };
  /// A list that is used and not resident.
  struct Candidate {
    const PostingsEntry* list;
    double heat_per_byte;
  };

  std::uint8_t* address(CacheSpace::Place place) const;
  std::uint32_t number(CacheSpace::Place place) const;
  void publish_arrived();
  bool can_evict(CacheSpace::Id list) const;
  std::vector<Candidate> count_uses(const BatchLists& lists);
  void admit(const std::vector<Candidate>& candidates, std::vector<Copy>& copies);
  void queue(const std::vector<Copy>& copies);
  void drop(const std::vector<Copy>& copies) noexcept;

  const HostLists& host_;
  int device_;
  std::vector<AccountedBuffer> slabs_;
  Stream stream_;
  std::mutex loading_;  ///< one lane at a time queues copies; taken before mutex_
  std::mutex mutex_;    ///< protects all that follows
  CacheSpace space_;
  std::vector<Slot> slots_;  ///< `place` is also read without the mutex
  std::list<Transfer> arriving_;
  std::size_t arriving_bytes_ = 0;
  std::uint64_t last_batch_ = 0;
  std::vector<std::uint64_t> under_way_;  ///< batches, the oldest first
};

}  // namespace warpdex::gpu
