// The lists that name tokenizers and filters.
#include "analysis/descriptions/part_types.hpp"

#include <array>

#include "analysis/filters/filters.hpp"

namespace warpdex::analysis {

namespace {

std::unique_ptr<Tokenizer> make_standard(const Part& part, const AnalysisPath& path) {
  const bool* const symbols = part.find<bool>("symbols");
  return make_standard_tokenizer(path, symbols != nullptr && *symbols);
}

}  // namespace

std::span<const TokenizerType> tokenizer_types() {
  static const std::array types{
      TokenizerType{kIcuTokenizer, {{"symbols", ValueKind::kBoolean}}, make_standard},
      TokenizerType{
          "keyword", {}, [](const Part&, const AnalysisPath&) { return make_keyword_tokenizer(); }},
      TokenizerType{"standard", {{"symbols", ValueKind::kBoolean}}, make_standard},
      TokenizerType{"whitespace", {}, [](const Part&, const AnalysisPath&) {
                      return make_whitespace_tokenizer();
                    }}};
  return types;
}

std::span<const FilterType> filter_types() {
  static const std::array types{
      FilterType{"apostrophe", {}, make_apostrophe},
      FilterType{"asciifolding", {}, make_ascii_folding},
      FilterType{kBigrams, {{"output_unigrams", ValueKind::kBoolean}}, nullptr},
      FilterType{"elision", {{"articles", ValueKind::kWords, true}}, make_elision},
      FilterType{"english_possessive", {}, make_english_possessive},
      FilterType{"lowercase", {{"language", ValueKind::kText}}, make_lowercase},
      FilterType{"stem", {{"language", ValueKind::kText, true}}, make_stem},
      FilterType{"stop", {{"words", ValueKind::kTextOrWords, true}}, make_stop}};
  return types;
}

}  // namespace warpdex::analysis
