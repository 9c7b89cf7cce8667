// The documents that filters of searches leave out, as bits in GPU memory. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::gpu {

/// The sets of the last filters that were used over an index or over joined segments. Any thread.
class FilterSets {
 public:
  /// A segment: the number that it has in the snapshot, and its first docID, a multiple of 32.
  struct Segment {
    std::size_t number;
    std::uint32_t first_document;
  };
  /// A set: bits as Batch::removed, valid while `memory` lives.
  struct Set {
    std::shared_ptr<const AccountedBuffer> memory;
    const std::uint32_t* bits = nullptr;
  };

  /// DocIDs lie in [first_document, end), both multiples of a tile. Keeps a reference to `budget`.
  /// All sets together take `max_bytes` at most, once the first one was asked for.
  FilterSets(std::uint32_t first_document, std::uint64_t end, std::size_t max_bytes,
             MemoryBudget& budget, int device);

  /// Bytes that are kept for sets: 0 until open().
  std::size_t reserved() const;
  /// From now on bytes are kept for sets.
  void open();

  /// The set of a filter, or none where memory lacks for another: all are in use, or the budget is
  /// spent. The segments are the same at each call, but for their numbers. A new set takes a copy
  /// of a bit a document over the bus. Throws CudaError.
  std::optional<Set> get(const DocumentFilter& filter, std::span<const Segment> segments);

 private:
  struct Entry {
    std::uint64_t number;  ///< of the filter
    std::shared_ptr<AccountedBuffer> memory;
  };

  std::shared_ptr<AccountedBuffer> take_memory();
  void write(const DocumentFilter& filter, std::span<const Segment> segments);

  const std::uint32_t first_document_;
  const std::size_t bytes_;     ///< of a set
  const std::size_t max_sets_;  ///< 0: there is no room for one
  MemoryBudget& budget_;
  const int device_;
  mutable std::mutex mutex_;
  bool is_open_ = false;
  std::vector<Entry> entries_;  ///< the last used one last
  std::optional<Stream> stream_;
  PinnedBuffer written_;  ///< the set that is uploaded next
};

}  // namespace warpdex::gpu
