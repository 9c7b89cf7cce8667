// Cuts a text into words as its analyzer does, and makes a term of each.
#include "warpdex/indexer/analysis/term_locator.hpp"

#include "analysis/english_words.hpp"
#include "analysis/word_segmenter.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {

struct TermLocator::State {
  explicit State(std::string_view name)
      : analyzer(make_analyzer(name)),
        is_english(name == "english"),
        is_whitespace(name == "whitespace") {}

  void find_words(std::string_view text) {
    if (is_whitespace) {
      analyzer->analyze(text, words);  // its terms are views of the text
      return;
    }
    analysis::require_utf8(text);
    segmenter.segment(text, words);
  }
  std::string_view term_of(std::string_view word) {
    if (is_whitespace) return word;
    return is_english ? english.term(word) : folder.fold(word);
  }

  std::unique_ptr<Analyzer> analyzer;
  bool is_english;
  bool is_whitespace;
  analysis::WordSegmenter segmenter;
  analysis::EnglishWords english;
  analysis::CaseFolder folder;
  std::vector<std::string_view> words;
};

TermLocator::TermLocator(std::string_view analyzer) : state_(std::make_unique<State>(analyzer)) {}
TermLocator::~TermLocator() = default;
TermLocator::TermLocator(TermLocator&&) noexcept = default;
TermLocator& TermLocator::operator=(TermLocator&&) noexcept = default;

std::vector<LocatedTerm> TermLocator::locate(std::string_view text) {
  state_->find_words(text);
  std::vector<LocatedTerm> terms;
  for (const std::string_view word : state_->words) {
    const std::string_view term = state_->term_of(word);
    if (term.empty()) continue;
    const auto offset = static_cast<std::size_t>(word.data() - text.data());
    terms.push_back({offset, word.size(), std::string(term)});
  }
  return terms;
}

}  // namespace warpdex
