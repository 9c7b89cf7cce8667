// Writes the lists of a batch's queries: where their postings are, and how they score. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::gpu {

/// Room for a raw list in a batch's image.
struct RawPlace {
  std::uint32_t* host;
  const std::uint32_t* device;
};

/// Writes lists of one index for one scorer. Any number of threads.
class ListWriter {
 public:
  ListWriter(const PlacedIndex& index, const ScorerSettings& scorer)
      : index_(index), settings_(scorer) {}

  /// Fills in a list, except for tile_row, or_query and rank. Scores go by `statistics`. Where
  /// needs_raw(), the list is decoded to `raw`. Throws FormatError for damage.
  void write(const PlannedTerm& term, const CollectionStatistics& statistics, std::uint32_t flags,
             const RawPlace& raw, List& list) const;

  const PlacedIndex& index() const { return index_; }
  /// The scorer of a list that was written.
  TermScorer scorer_of(const List& list) const {
    return {.kind = settings_.kind, .weight = list.weight, .c0 = list.c0, .c1 = list.c1};
  }

 private:
  std::uint64_t write_raw(const PostingsEntry& entry, const RawPlace& raw, List& list) const;

  const PlacedIndex& index_;
  ScorerSettings settings_;
};

/// Whether a list is decoded for each query that has it.
inline bool needs_raw(const PlacedIndex& index, const PostingsEntry& entry) {
  return entry.is_short() && index.find_raw(entry).raw == nullptr;
}

/// Blocks of a list of so many postings.
inline std::uint32_t block_count(std::uint32_t postings) {
  return (postings + kBlockSize - 1) / kBlockSize;
}

}  // namespace warpdex::gpu
