// Writes the lists of a batch's queries: where their postings are, and how they score. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

/// The scorers of a query's terms in a snapshot, which are the same in all its segments: to make
/// one takes a logarithm.
class SnapshotScorers {
 public:
  explicit SnapshotScorers(const ScorerSettings& settings) : settings_(settings) {}

  /// Before the next query.
  void clear() { known_.clear(); }
  /// A term's, of a plan for a segment or for the whole.
  const TermScorer& of(const PlannedTerm& term, const CollectionStatistics& statistics);

 private:
  struct Known {
    std::uint64_t document_frequency;
    std::uint64_t collection_frequency;
    float weight;
    TermScorer scorer;
  };
  ScorerSettings settings_;
  std::vector<Known> known_;
};

/// Writes lists of one index for one scorer. One thread.
class ListWriter {
 public:
  /// Keeps references.
  ListWriter(const PlacedIndex& index, const ScorerSettings& scorer, SnapshotScorers& scorers)
      : index_(index), settings_(scorer), scorers_(scorers) {}

  /// Fills in a list, except for tile_row, or_query and rank. Scores go by `statistics`. Where
  /// needs_raw(), the list is decoded to `raw`. Throws FormatError for damage.
  void write(const PlannedTerm& term, const CollectionStatistics& statistics, std::uint32_t flags,
             const RawPlace& raw, List& list);

  const PlacedIndex& index() const { return index_; }

 private:
  std::uint64_t write_raw(const PostingsEntry& entry, const RawPlace& raw, List& list) const;

  const PlacedIndex& index_;
  ScorerSettings settings_;
  SnapshotScorers& scorers_;
};

/// Whether a list is decoded for each query that has it.
inline bool needs_raw(const PlacedIndex& index, const PostingsEntry& entry) {
  return entry.document_frequency < std::min(index.fewest_raw, kBlockSize);
}

/// Blocks of a list of so many postings.
inline std::uint32_t block_count(std::uint32_t postings) {
  return (postings + kBlockSize - 1) / kBlockSize;
}

}  // namespace warpdex::gpu
