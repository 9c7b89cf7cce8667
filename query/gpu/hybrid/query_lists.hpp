// The lists of queries in every segment, for the kernels of hybrid search. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/layout/placed_index.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time, for one block of queries after the other.
class QueryLists {
 public:
  /// Keeps references. Segments are in the order of their docIDs; number i of a plan's segments is
  /// `numbers[i]`.
  QueryLists(std::vector<const PlacedIndex*> segments, std::vector<std::size_t> numbers,
             QueryThreads& threads, MemoryBudget& memory, int device)
      : segments_(std::move(segments)),
        numbers_(std::move(numbers)),
        threads_(threads),
        memory_(memory),
        device_(device) {}

  /// Writes the lists of queries and queues their upload. What was uploaded before must not be in
  /// use. Fills in what `batch` has of them. Throws Error where GPU memory lacks, FormatError for
  /// damage.
  void upload(std::span<const PlannedQuery* const> plans, const ScorerSettings& scorer,
              HybridBatch& batch, const Stream& stream);

 private:
  /// Numbers of lists before those of a query in a segment.
  struct Begin {
    std::uint32_t list;
    std::uint32_t raw;
  };
  struct Parts {
    List* lists;
    SegmentQuery* queries;
    std::uint32_t* raw;
    void* tails;
    std::size_t image_bytes;  ///< up to the tails, which are made on the GPU
    std::size_t bytes;
  };

  const PlannedQuery& plan_in(const PlannedQuery& plan, std::size_t segment) const {
    return plan.segments.empty() ? plan : plan.segments[numbers_[segment]];
  }
  void count(std::span<const PlannedQuery* const> plans);
  Parts lay_out(void* begin) const;
  void write(std::span<const PlannedQuery* const> plans, const ScorerSettings& scorer,
             const Parts& host, const Parts& device) const;

  std::vector<const PlacedIndex*> segments_;
  std::vector<std::size_t> numbers_;
  QueryThreads& threads_;
  MemoryBudget& memory_;
  int device_;
  std::vector<Begin> begins_;  ///< by query and segment, and the end
  PinnedBuffer host_;
  AccountedBuffer image_;
};

}  // namespace warpdex::gpu
