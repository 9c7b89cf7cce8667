// How many live documents reach the seeds of an index's lists once documents were removed. Plain
// C++. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Counts, for each seed, the removed documents that reach it: with its frequency or more, in its
/// length or less. So many fewer than the seed's rank are live. Of an index with a forward index.
class LiveSeeds {
 public:
  /// None was removed. O(terms), on all threads.
  explicit LiveSeeds(const Index& index);

  /// Counts the documents that were removed `now` but not `before`. O(their terms), on all threads.
  /// `index` is the one that this was made of, with any removals. Throws FormatError for damage.
  void remove(const Index& index, RemovedRows before, RemovedRows now);

  /// Live documents that reach the seed of kSeedRanks[place] of a long list, at least.
  std::uint32_t live(const PostingsEntry& entry, std::size_t place) const;

 private:
  /// The seeds of a term: where they start, and how many.
  struct Place {
    std::uint32_t first = 0;
    std::uint8_t count = 0;
  };

  void count(const Index& index, std::uint32_t document);

  std::vector<Place> places_;           ///< by term; of short lists without seeds
  std::vector<std::uint32_t> removed_;  ///< by seed
};

}  // namespace warpdex::gpu
