// Writes the lists of queries: where their postings are, and how they score. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/batch/term_lists.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::gpu {

/// The scorers of a query's terms in a snapshot, which are the same in all its segments: to make
/// one takes a logarithm.
class SnapshotScorers {
 public:
  explicit SnapshotScorers(const ScorerSettings& settings) : settings_(settings) {}

  /// Before the next query.
  void clear() { ++query_; }
  /// A term's, of a plan for a segment or for the whole.
  const TermScorer& of(const PlannedTerm& term, const CollectionStatistics& statistics) {
    Known& known = known_[term.number % known_.size()];
    if (known.query != query_ || !known.is_of(term)) make(term, statistics, known);
    return known.scorer;
  }

 private:
  struct Known {
    std::uint64_t query = 0;
    std::uint64_t document_frequency = 0;
    std::uint64_t collection_frequency = 0;
    float weight = 0;
    std::uint8_t field = 0;
    TermScorer scorer{};

    bool is_of(const PlannedTerm& term) const {
      return document_frequency == term.document_frequency &&
             collection_frequency == term.collection_frequency && weight == term.weight &&
             field == term.entry.field;
    }
  };

  void make(const PlannedTerm& term, const CollectionStatistics& statistics, Known& known) const;

  ScorerSettings settings_;
  std::uint64_t query_ = 1;
  std::array<Known, kMaxLists> known_{};  ///< by PlannedTerm::number, the last with it
};

/// Writes lists of the segments for one scorer. One thread.
class ListWriter {
 public:
  explicit ListWriter(const ScorerSettings& scorer) : settings_(scorer), scorers_(scorer) {}

  /// Scorers of the query that is written.
  SnapshotScorers& scorers() { return scorers_; }

  /// Fills in a list and how it scores, so far all zero. Scores go by `statistics`. A list that is
  /// decoded for its query is added to `packed`, and has no place on the GPU yet. Throws
  /// FormatError for damage.
  void write(const PlacedIndex& index, const PlannedTerm& term,
             const CollectionStatistics& statistics, std::vector<std::uint32_t>& packed,
             ListSource& list, ListUse& use);

 private:
  ScorerSettings settings_;
  SnapshotScorers scorers_;
};

}  // namespace warpdex::gpu
