// Encoded bytes of lists in GPU memory that does not hold all of them, shared by the searchers of
// an index. Others are read in place, from page-locked host memory. Internal.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/lists/host_lists.hpp"
#include "warpdex/core/cache/cache_space.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// The long lists of a batch under way.
struct BatchLists {
  std::uint64_t number = 0;                 ///< of the batch; 0: none is under way
  std::vector<const PostingsEntry*> uses;   ///< as often as the batch's queries use them
  std::uint64_t hits = 0;                   ///< uses of lists that were in
  std::vector<std::uint32_t> unanswerable;  ///< queries with lists that no kernel can read
};

/// Any thread. Nothing that a batch under way may read is overwritten.
class ListCache {
 public:
  /// Takes up to `bytes` of the budget, in as few slabs as the GPU's memory allows. Index and host
  /// lists outlive this.
  ListCache(const Index& index, const HostLists& host, std::size_t bytes, MemoryBudget& budget,
            int device);
  /// Waits for the copies that are under way.
  ~ListCache();

  /// Bytes that it took.
  std::size_t capacity() const { return space_.capacity(); }

  /// Fills `lists` with the lists of a batch, of which none is under way, and keeps those that are
  /// in until end(). Queries of more than kMostLists terms are not looked at. Throws CudaError.
  void begin(std::span<const PlannedQuery> plans, BatchLists& lists);
  /// Whether a long list is in; if it is one of a batch under way, it stays.
  bool is_in(const PostingsEntry& list) const;
  /// Where kernels read a list of a batch under way.
  EncodedBytes find(const PostingsEntry& list) const;
  /// Once the kernels were launched: counts the uses, and queues copies of those lists that are to
  /// come in. Nobody waits for them: until they have arrived, the lists are read as before. Returns
  /// their bytes. Throws CudaError, and then none of them comes in.
  std::uint64_t load(const BatchLists& lists);
  /// The GPU is done with the batch, if one is under way.
  void end(BatchLists& lists) noexcept;

 private:
  /// What a list is to batches, by its first block.
  struct Slot {
    std::atomic<std::uint32_t> place = 0;  ///< 0: not in; else one more than its units from the
                                           ///< beginning of the slabs
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
  /// A list that is used and not in.
  struct Candidate {
    const PostingsEntry* list;
    double worth;  ///< heat per byte
  };

  std::uint8_t* address(CacheSpace::Place place) const;
  std::uint32_t number(CacheSpace::Place place) const;
  void welcome_arrived();
  bool may_go(CacheSpace::Id list) const;
  std::vector<Candidate> count_uses(const BatchLists& lists);
  void choose(const std::vector<Candidate>& candidates, std::vector<Copy>& copies);
  void queue(const std::vector<Copy>& copies);
  void drop(const std::vector<Copy>& copies) noexcept;

  const HostLists& host_;
  int device_;
  std::vector<AccountedBuffer> slabs_;
  Stream stream_;
  std::mutex loading_;  ///< one searcher at a time queues copies; taken before mutex_
  std::mutex mutex_;    ///< over all that follows
  CacheSpace space_;
  std::vector<Slot> slots_;  ///< `place` is read without the mutex
  std::list<Transfer> arriving_;
  std::size_t arriving_bytes_ = 0;
  std::uint64_t last_batch_ = 0;
  std::vector<std::uint64_t> under_way_;  ///< batches, the oldest first
};

}  // namespace warpdex::gpu
