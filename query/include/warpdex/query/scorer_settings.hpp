// Which scorer a search uses, and its settings.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "warpdex/indexer/format/bm25.hpp"

namespace warpdex {

/// The scoring functions, in the order of the list in query/scorers/scorers.hpp.
enum class ScorerKind {
  kBm25,             ///< BM25, in one of two forms
  kQueryLikelihood,  ///< query likelihood with Dirichlet smoothing
  kImpact,           ///< sums of stored impacts; chosen by engines, for an index of impacts
  kBm25Plus,         ///< BM25+
  kJelinekMercer,    ///< query likelihood with Jelinek-Mercer smoothing
  kPl2,              ///< PL2, of the divergence from randomness framework
  kBm25Lucene,       ///< BM25 with lengths rounded as Lucene does
};
inline constexpr std::size_t kScorerKinds = 7;

/// Settings of a query's scorer.
struct ScorerSettings {
  ScorerKind kind = ScorerKind::kBm25;
  Bm25Form form = Bm25Form::kLucene;  ///< read by kBm25 only
  float k1 = 0.9F;         ///< BM25 and its kin: how slowly frequencies saturate; finite, 0 or more
  float b = 0.4F;          ///< likewise: how much the length matters; 0 to 1
  float mu = 1000.F;       ///< query likelihood: smoothing in tokens; finite, above 0
  float delta = 1.F;       ///< BM25+: what each term counts more; finite, 0 or more
  float jm_lambda = 0.1F;  ///< Jelinek-Mercer: the collection's share; above 0, at most 1
  float pl2_c = 1.F;       ///< PL2: how much the length matters; finite, above 0

  /// Throws UsageError, naming the setting and its range, where one is outside of it.
  void validate() const;
  bool operator==(const ScorerSettings&) const = default;
};

/// "bm25", "qld", "bm25+", "qljm", "pl2" or "bm25-lucene"; UsageError for any other.
ScorerKind scorer_from_name(std::string_view name);
/// The name of a scorer: of kImpact "impact", which scorer_from_name() does not take.
std::string_view scorer_name(ScorerKind kind);
/// Its name in reports: of kImpact "impacts".
std::string_view scorer_report_name(ScorerKind kind);
/// The scorers that scorer_from_name() knows.
std::span<const ScorerKind> named_scorers();
/// For help: what a name stands for; empty if that is plain.
std::string_view scorer_title(ScorerKind kind);

/// "lucene" or "pisa"; UsageError for any other.
Bm25Form bm25_form_from_name(std::string_view name);
std::string_view bm25_form_name(Bm25Form form);

/// A setting, for all that reads or writes settings by their names.
struct ScorerOption {
  using Number = float ScorerSettings::*;

  std::string_view name;           ///< "k1"; on the command line with - for _
  std::string_view meaning;        ///< for help, with its range
  Number number = nullptr;         ///< null: it is ScorerSettings::form, a word
  void (*check)(float) = nullptr;  ///< throws UsageError for a number out of range
};
/// All of them, in the order of help.
std::span<const ScorerOption> scorer_options();
/// Whether a scorer reads a setting.
bool reads_option(ScorerKind kind, const ScorerOption& option);

}  // namespace warpdex
