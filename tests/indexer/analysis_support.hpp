// What the tests of text analysis share.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_path.hpp"
#include "analysis/descriptions/description.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::test {

/// Those two, as a test wants their words found.
inline std::unique_ptr<Analyzer> make_english_analyzer(const analysis::AnalysisPath& path = {}) {
  return analysis::make_described(analysis::describe({"english", path.version}), path);
}
inline std::unique_ptr<Analyzer> make_standard_analyzer(const analysis::AnalysisPath& path = {}) {
  return analysis::make_described(analysis::describe({"standard", path.version}), path);
}

/// The terms of `text`, copied.
inline std::vector<std::string> terms_of(Analyzer& analyzer, std::string_view text) {
  std::vector<std::string_view> terms;
  analyzer.analyze(text, terms);
  return {terms.begin(), terms.end()};
}

/// The terms that a fresh analyzer finds.
inline std::vector<std::string> terms_of(const AnalyzerSettings& analyzer, std::string_view text) {
  return terms_of(*make_analyzer(analyzer), text);
}

/// `count` pieces drawn from `pieces`, one after the other.
inline std::string random_text(std::mt19937_64& generator,
                               const std::vector<std::string_view>& pieces, std::size_t count) {
  std::uniform_int_distribution<std::size_t> pick(0, pieces.size() - 1);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += pieces[pick(generator)];
  return text;
}

inline std::string repeat(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

}  // namespace warpdex::test
