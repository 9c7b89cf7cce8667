// The interface of an index for the batch builder: the addresses of its lists in GPU memory.
// Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

class LiveSeeds;

/// The documents that were removed from an index, if any.
struct Removals {
  const std::uint32_t* bits = nullptr;    ///< on the GPU: Batch::removed
  const LiveSeeds* live_seeds = nullptr;  ///< null where there is no forward index
};

/// A raw list on the GPU.
struct RawList {
  const std::uint32_t* raw;
  std::uint64_t occurrences;  ///< the term's collection frequency
};

/// An index whose lists have addresses that kernels can read.
struct PlacedIndex {
  explicit PlacedIndex(const Index& placed) : index(placed) {}

  /// Fills in the addresses of a long list: pointers (the GPU's), offsets and flags of its blocks
  /// and tails. Any thread.
  virtual void place(const PostingsEntry& entry, ListSource& list) const = 0;
  /// Where a short list of fewest_raw postings or more is. Any thread.
  virtual RawList find_raw(const PostingsEntry& entry) const = 0;
  /// Prefetches what writing the list will read. Any thread.
  virtual void prefetch(const PostingsEntry& /*entry*/) const {}

  const Index& index;
  ListTables tables;  ///< what all long lists share
  /// Its first docID: where it is one of several segments, its documents' docIDs are spaced ones.
  std::uint32_t first_document = 0;
  std::uint32_t longest_document = 0;
  float largest_static = 0;  ///< the largest static score; 0 if there are none
  Removals removals;
  /// Short lists of so many postings or more are on the GPU, decoded; kBlockSize: none is.
  std::uint32_t fewest_raw = kBlockSize;
  bool has_all_lists = true;  ///< all lists are in GPU memory

  std::uint32_t first_tile() const { return first_document >> kTileShift; }
  std::uint32_t tiles() const {
    return static_cast<std::uint32_t>((index.counts().documents + kTileDocuments - 1) >>
                                      kTileShift);
  }

 protected:
  ~PlacedIndex() = default;
};

}  // namespace warpdex::gpu
