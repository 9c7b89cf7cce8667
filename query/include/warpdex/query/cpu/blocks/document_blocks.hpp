// Learned weights by blocks of documents, in memory: what OR over many terms is fastest with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

struct BlockList;

/// The postings of an index of impacts once more, by blocks of 16 documents and superblocks of 16
/// blocks, each with the largest impact of every term (Mallia et al., Faster Learned Sparse
/// Retrieval with Block-Max Pruning, 2024). OR looks at the blocks with the highest bounds first,
/// and at few documents. Worth it where queries have many terms and neighbours are alike: reorder
/// the index first. About 6 bytes a posting. Immutable; any thread.
class DocumentBlocks {
 public:
  /// Reads all lists, on `threads` threads (0: all). Keeps no reference. O(postings): a second for
  /// 20 million on one thread. Throws UsageError for an index of frequencies and for more than 2^29
  /// documents, FormatError for damage.
  DocumentBlocks(const Index& index, std::size_t threads);
  ~DocumentBlocks();
  DocumentBlocks(const DocumentBlocks&) = delete;
  DocumentBlocks& operator=(const DocumentBlocks&) = delete;

  /// Of a term, by its place in the lexicon.
  BlockList list(std::uint32_t term_number) const;
  /// Asks for what list() reads.
  void prefetch(std::uint32_t term_number) const { __builtin_prefetch(lists_[term_number]); }
  std::uint32_t superblocks() const { return superblocks_; }

  /// Where a list lies: its first byte in one of parts().
  struct Place {
    std::size_t part;
    std::uint64_t begin;  ///< a multiple of 8
  };
  Place place(std::uint32_t term_number) const;
  /// Of the lexicon.
  std::uint32_t terms() const { return static_cast<std::uint32_t>(lists_.size()); }
  /// The memory of all lists.
  const std::vector<std::vector<std::uint8_t>>& parts() const { return parts_; }
  /// Memory that it takes.
  std::uint64_t bytes() const;

 private:
  std::uint32_t superblocks_;
  std::vector<std::vector<std::uint8_t>> parts_;  ///< of the lexicon, in order
  std::vector<const std::uint8_t*> lists_;        ///< by term, in parts_
};

/// Those of a snapshot's segments.
class SnapshotBlocks {
 public:
  /// Shares with `before` (null: nothing) the blocks of segments that both have. Throws as
  /// DocumentBlocks().
  SnapshotBlocks(const Snapshot& snapshot, std::size_t threads,
                 const SnapshotBlocks* before = nullptr);

  const DocumentBlocks& of(std::size_t segment) const { return *segments_[segment].blocks; }
  /// The same, to be kept.
  std::shared_ptr<const DocumentBlocks> shared(std::size_t segment) const {
    return segments_[segment].blocks;
  }

 private:
  struct Segment {
    std::shared_ptr<const Index> index;
    std::shared_ptr<const DocumentBlocks> blocks;
  };
  std::vector<Segment> segments_;
};

}  // namespace warpdex
