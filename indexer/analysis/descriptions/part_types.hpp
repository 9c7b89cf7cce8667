// The tokenizers and filters that there are. Internal to indexer/analysis.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/part.hpp"
#include "analysis/tokenizers.hpp"
#include "analysis/word_filter.hpp"

namespace warpdex::analysis {

enum class ValueKind { kBoolean, kText, kTextOrWords, kWords };

struct ParameterType {
  std::string_view name;
  ValueKind kind;
  bool is_needed = false;
};

struct FilterType {
  std::string_view name;
  std::vector<ParameterType> parameters;
  /// Throws UsageError for a value that it cannot take. Null: kBigrams.
  std::unique_ptr<WordFilter> (*make)(const Part& part, const FilterContext& context);
};

struct TokenizerType {
  std::string_view name;
  std::vector<ParameterType> parameters;
  std::unique_ptr<Tokenizer> (*make)(const Part& part, const AnalysisPath& path);
};

/// Another name of "standard", which has ICU's dictionaries; no description keeps it.
inline constexpr std::string_view kIcuTokenizer = "icu_tokenizer";
/// The filter that is not one of words.
inline constexpr std::string_view kBigrams = "cjk_bigram";

/// In the order of the alphabet.
std::span<const FilterType> filter_types();
std::span<const TokenizerType> tokenizer_types();

}  // namespace warpdex::analysis
