// The share of one word in a document's score. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer_settings.hpp"

namespace warpdex {

/// What explanations are made with.
struct ExplainedIndex {
  /// Throws UsageError for settings out of range.
  ExplainedIndex(const Snapshot& of, const ScorerSettings& wanted);

  Snapshot snapshot;
  ScorerSettings scorer;                         ///< as the index is scored
  std::vector<Field> fields;                     ///< its text fields
  std::vector<CollectionStatistics> statistics;  ///< by text field
};

/// A document's segment, and its number there.
struct ExplainedPlace {
  std::size_t segment = 0;
  const Index& index;
  std::uint32_t document = 0;
};

/// The share of a word, `name` as the lexicon has it; none where the document lacks it. Throws
/// FormatError.
std::optional<TermExplanation> explain_term(const ExplainedIndex& of, const ExplainedPlace& place,
                                            const PlannedTerm& term, std::string_view name);

/// The term of that number. Throws FormatError.
std::string term_of_number(const Index& index, std::uint32_t number);

}  // namespace warpdex
