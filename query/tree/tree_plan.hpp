// A tree whose terms are looked up in a snapshot. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// A field in which a word of kCombined is looked for.
struct CombinedField {
  std::size_t field = 0;
  float weight = 1;
  std::uint64_t documents = 0;    ///< that have the word there, in the whole snapshot
  std::uint64_t occurrences = 0;  ///< of it there; 0: those of the list, of a plain index
};

/// A clause in each segment of the snapshot.
struct PlannedNode {
  enum class Kind {
    kNothing,
    kAll,       ///< every document
    kTerm,      ///< documents of one list
    kUnion,     ///< documents of one of many lists
    kBoolean,   ///< by must, should, must_not
    kBest,      ///< by should
    kPhrase,    ///< by should, its words
    kCombined,  ///< by should, one word in each of `fields`
    kColumns,   ///< by documents
    kSynonyms,  ///< by should, its words
  };
  Kind kind = Kind::kNothing;
  bool scores = true;               ///< whether a score is wanted of it
  std::optional<float> constant{};  ///< the score of each match, if it is not made of what is below
  std::vector<std::optional<PlannedTerm>> terms{};  ///< kTerm: by segment, with its weight
  /// kTerm, of a part of a whole: the term as the whole has it; its entry has the field alone.
  std::optional<PlannedTerm> elsewhere{};
  std::vector<std::vector<PostingsEntry>> unions{};   ///< kUnion: by segment
  std::uint32_t minimum_should_match = 0;             ///< of kBoolean; 1 at least without must
  float tie_breaker = 0;                              ///< of kBest
  float weight = 1;                                   ///< of kCombined
  std::vector<CombinedField> fields{};                ///< kCombined: by clause of should
  std::vector<std::uint32_t> positions{};             ///< kPhrase: of its words, from 0 on
  std::uint32_t slop = 0;                             ///< kPhrase
  std::shared_ptr<const DocumentFilter> documents{};  ///< kColumns
  std::vector<PlannedNode> must{};
  std::vector<PlannedNode> should{};
  std::vector<PlannedNode> must_not{};
};

struct PlannedTree {
  PlannedNode root;
  std::vector<CollectionStatistics> statistics{};  ///< by text field
  std::size_t lists = 0;                           ///< that score
  bool was_cut = false;        ///< a clause stands for more terms than are taken
  std::size_t most_terms = 0;  ///< that a prefix, pattern or range stands for
};

/// A product of boosts: within the range of weights, or 0.
inline float boost_product(float a, float b) {
  return a == 0 || b == 0 ? 0 : std::clamp(a * b, kMinQueryWeight, kMaxQueryWeight);
}

/// Looks up the terms of an analysed tree. A product of boosts beyond the range of weights is the
/// nearest one in it. `planner` and `filters` are of the snapshot; `planner` says what it is a part
/// of. Throws FormatError for damage, and UsageError where clauses stand for so many terms together
/// that the query would take minutes.
PlannedTree plan_tree(const Snapshot& snapshot, QueryPlanner& planner, FilterCache& filters,
                      const QueryNode& analyzed, bool scores = true);

}  // namespace warpdex
