// What a scorer is: a type in a folder of its own that satisfies this concept. scorers.hpp lists
// them. Internal.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "scorers/base/unit_form.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/scorer.hpp"
#include "warpdex/query/scorer_settings.hpp"

namespace warpdex {

/// What queries need to know of a scorer's units on the GPU (gpu/batch/query_scale.cpp).
struct UnitTraits {
  UnitForm form = UnitForm::kExact;
  std::uint32_t slack = 4;  ///< by so many units for each list, rounding may put sums above scores
  /// The sum of a query's weights, in units, is at most this: for a score that the GPU approximates
  /// with an absolute error.
  double max_weights = std::numeric_limits<double>::infinity();
  bool are_whole = false;   ///< scores are whole numbers where the query's weights are
  bool are_capped = false;  ///< a posting counts no more than an upper bound of the k-th best score
};

/// A scorer's properties.
struct ScorerFacts {
  std::string_view name;         ///< in options, and in JSON of answers
  std::string_view report_name;  ///< in reports
  std::string_view title;        ///< for help: what the name stands for, if that is not plain
  bool is_named = true;          ///< by --scorer; else it is the index's
  std::span<const ScorerOption* const> options{};  ///< the settings that it reads
  /// A term's score, of the members of TermExplanation and freq, length, boost, impact.
  std::string_view formula;
  bool has_c2 = false;        ///< the formula has a third constant
  bool reads_lengths = true;  ///< scores depend on documents' lengths
  /// Scores rise with the frequency and fall with the length: so pairs of both bound them, and
  /// seeds do from below.
  bool rises = true;
  bool reads_occurrences = false;  ///< they depend on how often the term occurs in all
  float bound_slack = 1;  ///< a factor of bounds that are computed from pairs, for their rounding
  UnitTraits units{};
};

/// Rounding can put the score of a smaller frequency an ulp above that of a larger one.
inline constexpr float kBoundSlack = 1.0F + 1e-6F;

/// The statistics of a term from which the constants of its score are computed.
struct TermStatistics {
  CollectionStatistics collection;
  std::uint64_t document_frequency = 0;
  std::uint64_t collection_frequency = 0;
  float weight = 1;  ///< in the query
};

template <class S>
concept ScorerType = requires(const ScorerSettings& settings, const TermStatistics& statistics,
                              const TermScorer& term, const TermExplanation& explanation,
                              std::uint64_t frequency, float number) {
  { S::kKind } -> std::convertible_to<ScorerKind>;
  { S::kFacts } -> std::convertible_to<ScorerFacts>;
  /// The constants of a term's score, each rounded once.
  { S::make(settings, statistics) } -> std::same_as<TermScorer>;
  /// The score at a frequency of 1 or more and a length: finite, never negative. On the GPU too,
  /// where `term` may be any type with members weight, c0, c1 and c2.
  { S::score(term, number, number) } -> std::same_as<float>;
  /// An upper bound of the score in any document, if no frequency is larger.
  { S::largest(term, frequency) } -> std::same_as<float>;
  /// A lower bound of the score of a posting that has a frequency of at least that, and a length of
  /// at most that, of which `number` is the score: in float, it may be lower than `number`.
  { S::lowered(term, number) } -> std::same_as<float>;
  /// The end of the line that explains a share to people.
  { S::explain(explanation, Explanation()) } -> std::same_as<std::string>;
};

}  // namespace warpdex
