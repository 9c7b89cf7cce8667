// Writes the lists of a batch's queries: where their postings are, and how they score. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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
    TermScorer scorer{};

    bool is_of(const PlannedTerm& term) const {
      return document_frequency == term.document_frequency &&
             collection_frequency == term.collection_frequency && weight == term.weight;
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

  /// Fills in a list of segment number `segment`, so far all zero, except for what depends on its
  /// query: rank, or_query, tile_row, and the place among stored lists. Scores go by `statistics`.
  /// A list that is decoded for its query is added to `packed`, and has no place on the GPU yet.
  /// Throws FormatError for damage.
  void write(const PlacedIndex& index, std::size_t segment, const PlannedTerm& term,
             const CollectionStatistics& statistics, std::uint32_t flags,
             std::vector<std::uint32_t>& packed, ListSource& list) {
    const PostingsEntry& entry = term.entry;
    list.size = entry.document_frequency;
    list.tile_row = kNone;
    list.flags = static_cast<std::uint16_t>(flags);
    list.segment = static_cast<std::uint16_t>(segment);
    std::uint64_t occurrences = entry.collection_frequency;
    std::uint64_t largest = 0;
    if (entry.is_short()) {
      occurrences = write_raw(index, entry, packed, list);
      largest = occurrences;
    } else {
      index.place(entry, list);
      list.first_block = entry.first_block;
      list.first_base = entry.first_base;
      list.frequent_list = entry.frequent_list;
      list.docid_parameter = entry.docid_parameter;
      list.frequency_parameter = entry.frequency_parameter;
      largest = occurrences - list.size + 1;  // all other frequencies are 1 at least
    }
    if (largest >= kHuge) list.flags |= kHugeFrequencies;
    if (term.document_frequency != 0) {
      score(scorers_.of(term, statistics), largest, list);
    } else {
      score(scorer_of(term, statistics, list.size, occurrences), largest, list);
    }
  }

 private:
  /// From here on, a frequency is huge.
  static constexpr std::uint64_t kHuge = std::uint64_t{1} << 23;

  static std::uint64_t write_raw(const PlacedIndex& index, const PostingsEntry& entry,
                                 std::vector<std::uint32_t>& packed, ListSource& list) {
    list.flags |= kRaw;
    if (entry.document_frequency < index.fewest_raw)
      return write_packed(index, entry, packed, list);
    const RawList place = index.find_raw(entry);
    list.docids = reinterpret_cast<const std::uint8_t*>(place.raw);
    return place.occurrences;
  }
  /// Returns the term's collection frequency.
  static std::uint64_t write_packed(const PlacedIndex& index, const PostingsEntry& entry,
                                    std::vector<std::uint32_t>& packed, ListSource& list);

  static void score(const TermScorer& scorer, std::uint64_t largest_frequency, ListSource& list) {
    list.weight = scorer.weight;
    list.c0 = scorer.c0;
    list.c1 = scorer.c1;
    list.bound =
        scorer.kind == ScorerKind::kBm25 ? scorer.weight : largest_score(scorer, largest_frequency);
  }
  static float largest_score(const TermScorer& scorer, std::uint64_t largest_frequency);
  TermScorer scorer_of(const PlannedTerm& term, const CollectionStatistics& statistics,
                       std::uint64_t document_frequency, std::uint64_t occurrences) const;

  ScorerSettings settings_;
  SnapshotScorers scorers_;
};

/// Blocks of a list of so many postings.
inline std::uint32_t block_count(std::uint32_t postings) {
  return (postings + kBlockSize - 1) / kBlockSize;
}

}  // namespace warpdex::gpu
