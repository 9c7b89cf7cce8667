// Plans for an index that is one part of a whole: its documents score by what all parts together
// count. And what a part says of its own terms, so that someone can add it up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/format/seeds.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// How frequent a term is, as Snapshot::statistics() counts documents.
struct TermFrequencies {
  std::uint64_t documents = 0;    ///< that have it
  std::uint64_t occurrences = 0;  ///< in these; of impacts: their sum
  bool operator==(const TermFrequencies&) const = default;
};

/// What all parts of a whole count together: the sums of their own counts.
struct WholeStatistics {
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  CollectionStatistics collection;
  std::vector<CollectionStatistics> texts{};  ///< by text field, where there are several
  std::unordered_map<std::string, TermFrequencies, TextHash, std::equal_to<>> terms{};

  /// Of a term that no part has, or that is not told: zeros. O(1).
  TermFrequencies of(std::string_view term) const {
    const auto found = terms.find(term);
    return found == terms.end() ? TermFrequencies{} : found->second;
  }
};

/// As plan_query(snapshot, query), for a snapshot that is a part of a whole: scores, and the order
/// in which they are added, are those of one index that has the documents of all parts. `whole`
/// has all terms of the query, those with a - sign too; a term of no document there is unknown,
/// and one that this part alone lacks matches nothing here. Of the plan's terms, the entries' own
/// document frequencies are the part's. Throws as the other, and UsageError where `whole` has
/// another number of text fields than the snapshot.
PlannedQuery plan_query(const Snapshot& snapshot, const Query& query, const WholeStatistics& whole);

/// Some of a term's best documents: a seed, and how many live documents reach it. Those that reach
/// a better seed of the same list are not among them, so the numbers of all seeds may be added.
struct PartSeed {
  std::uint32_t documents = 0;  ///< 1 or more
  ListSeed seed{};
  bool operator==(const PartSeed&) const = default;
};

/// A term in one part.
struct PartTerm {
  TermFrequencies frequencies{};
  std::vector<PartSeed> seeds{};  ///< three a segment at most
  bool operator==(const PartTerm&) const = default;
};

/// What a snapshot counts of a term; zeros where no live document has it. O(segments log terms).
/// Throws FormatError for a damaged index.
PartTerm part_term(const Snapshot& snapshot, std::string_view term);

}  // namespace warpdex
