// Which scorer a search uses, and its settings.
#pragma once

#include <string_view>

#include "warpdex/indexer/format/bm25.hpp"

namespace warpdex {

/// The scoring functions.
enum class ScorerKind {
  kBm25,             ///< BM25, in one of two forms
  kQueryLikelihood,  ///< query likelihood with Dirichlet smoothing
  kImpact,           ///< sums of stored impacts; chosen by engines, for an index of impacts
};

/// Settings of a query's scorer.
struct ScorerSettings {
  ScorerKind kind = ScorerKind::kBm25;
  Bm25Form form = Bm25Form::kLucene;  ///< read by kBm25 only
  float k1 = 0.9F;                    ///< BM25: how slowly frequencies saturate; finite, 0 or more
  float b = 0.4F;                     ///< BM25: how much the length matters; 0 to 1
  float mu = 1000.F;                  ///< query likelihood: smoothing in tokens; finite, above 0

  /// Throws UsageError, naming the setting and its range, where one is outside of it.
  void validate() const;
  bool operator==(const ScorerSettings&) const = default;
};

/// "bm25" or "qld"; UsageError for any other.
ScorerKind scorer_from_name(std::string_view name);
/// "lucene" or "pisa"; UsageError for any other.
Bm25Form bm25_form_from_name(std::string_view name);

}  // namespace warpdex
