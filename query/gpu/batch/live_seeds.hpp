// The seeds of an index's lists once documents were removed. Plain C++. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

class SeedTable;

/// So many live documents of a list reach the seed, at least; 0: there is none.
struct LiveSeed {
  ListSeed seed;
  std::uint32_t documents = 0;
};

/// Counts, for each seed, the removed documents that reach it: with its frequency or more, in its
/// length or less. Where fewer live documents than the seed's rank are left, finds another seed.
/// Of an index with a forward index.
class LiveSeeds {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  /// None was removed. O(terms), on all threads.
  explicit LiveSeeds(const Index& index);

  /// Counts the documents that were removed `now` but not `before`, and returns the number of their
  /// postings. O(their terms), on all threads. `index` is the one that this was made of, with any
  /// removals. Throws FormatError for damage.
  std::uint64_t remove(const Index& index, RemovedRows before, RemovedRows now);

  /// Finds new seeds for the lists that have one with too few live documents. Takes the shortest
  /// lists first, and of all together so many postings at most. All removed documents of `index`
  /// were counted. O(postings), on all threads. Throws FormatError for damage.
  void renew(const Index& index, std::uint64_t max_postings = kAll);

  /// The seed of kSeedRanks[place] of a long list.
  LiveSeed get(const PostingsEntry& entry, std::size_t place) const {
    const Counted& of = seeds_[entry.first_seed + place];
    return {of.seed, of.documents - std::min(of.documents, of.removed)};
  }

 private:
  /// So many documents reached a seed when it was found, at least; so many were removed since.
  struct Counted {
    ListSeed seed;
    std::uint32_t documents = 0;
    std::uint32_t removed = 0;
  };
  /// The seeds of a term: where they start, and how many.
  struct Place {
    std::uint32_t first = 0;
    std::uint8_t count = 0;
  };
  /// What does not change with removals.
  struct Lists {
    std::vector<Place> places;         ///< by term; of short lists without seeds
    std::vector<PostingsEntry> longs;  ///< the long lists
  };

  std::uint64_t count(const Index& index, std::uint32_t document);
  bool lacks_seeds(const Index& index, const PostingsEntry& entry) const;
  std::vector<const PostingsEntry*> find_lacking(const Index& index,
                                                 std::uint64_t max_postings) const;
  void renew_list(const Index& index, const PostingsEntry& entry, SeedTable& table);

  std::shared_ptr<const Lists> lists_;
  std::vector<Counted> seeds_;  ///< as IndexSections::seeds
};

}  // namespace warpdex::gpu
