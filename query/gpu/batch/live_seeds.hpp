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

/// A seed of a list, and a lower bound of the live documents that reach it.
struct LiveSeed {
  ListSeed seed;
  std::uint32_t documents = 0;  ///< 0: there is no seed
};

/// Counts, for each seed, the removed documents that reach it: those with its frequency or more and
/// its length or less. If fewer live documents than the seed's rank are left, it finds another
/// seed. Needs a forward index.
class LiveSeeds {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  /// Starts with no removed documents. O(terms), on all threads.
  explicit LiveSeeds(const Index& index);

  /// Counts the documents that are removed in `now` but not in `before`. Returns the number of
  /// their postings. O(their terms), on all threads. `index` is the one that this was made for,
  /// with any removals. Throws FormatError for damage.
  std::uint64_t remove(const Index& index, RemovedRows before, RemovedRows now);

  /// Finds new seeds for lists with a seed that too few live documents reach. Takes the shortest
  /// lists first, and reads at most `max_postings` in all. All removed documents of `index` must
  /// have been counted. O(postings), on all threads. Throws FormatError for damage.
  void renew(const Index& index, std::uint64_t max_postings = kAll);

  /// The seed of kSeedRanks[place] of a long list.
  LiveSeed get(const PostingsEntry& entry, std::size_t place) const {
    const Counted& of = seeds_[entry.first_seed + place];
    return {of.seed, of.documents - std::min(of.documents, of.removed)};
  }

 private:
  struct Counted {
    ListSeed seed;
    std::uint32_t documents = 0;  ///< lower bound of those that reached it when it was found
    std::uint32_t removed = 0;    ///< how many of these were removed since
  };
  /// The seeds of a term: where they start, and how many.
  struct Place {
    std::uint32_t first = 0;
    std::uint8_t count = 0;
    std::uint8_t field = 0;  ///< its text field
  };
  /// The data that removals do not change.
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
