// Cuts a text into words as its analyzer does, and makes a term of each.
#include "warpdex/indexer/analysis/term_locator.hpp"

#include <algorithm>
#include <optional>

#include "analysis/analyzers.hpp"
#include "analysis/english_words.hpp"
#include "analysis/one_form.hpp"
#include "analysis/word_segmenter.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {

/// The parts that an analyzer of that name and version is made of.
struct TermLocator::State {
  explicit State(const AnalyzerSettings& settings)
      : analyzer(make_analyzer(settings)),
        is_english(settings.name == "english"),
        is_whitespace(settings.name == "whitespace"),
        segmenter(settings.version),
        english(settings.version),
        folder(settings.version) {
    if (settings.version >= analysis::kOneFormVersion) form.emplace(true);
  }

  /// Returns the text that `words` are views of.
  std::string_view find_words(std::string_view text) {
    if (is_whitespace) {
      analyzer->analyze(text, words);  // its terms are views of the text
      return text;
    }
    analysis::require_utf8(text);
    if (form) text = form->of(text);
    segmenter.segment(text, words);
    return text;
  }
  std::string_view term_of(std::string_view word) {
    if (is_whitespace) return word;
    return is_english ? english.term(word) : folder.fold(word);
  }
  LocatedTerm located(std::size_t begin, std::size_t end, std::string_view term,
                      std::size_t done) const {
    if (form) {
      begin = std::max(form->original_begin(begin), done);
      end = std::max(form->original_end(end), begin);
    }
    return {begin, end - begin, std::string(term)};
  }

  std::unique_ptr<Analyzer> analyzer;
  bool is_english;
  bool is_whitespace;
  std::optional<analysis::OneForm> form;
  analysis::WordSegmenter segmenter;
  analysis::EnglishWords english;
  analysis::WordFolder folder;
  std::vector<std::string_view> words;
};

TermLocator::TermLocator(const AnalyzerSettings& analyzer)
    : state_(std::make_unique<State>(analyzer)) {}
TermLocator::~TermLocator() = default;
TermLocator::TermLocator(TermLocator&&) noexcept = default;
TermLocator& TermLocator::operator=(TermLocator&&) noexcept = default;

std::vector<LocatedTerm> TermLocator::locate(std::string_view text) {
  const std::string_view searched = state_->find_words(text);
  std::vector<LocatedTerm> terms;
  std::size_t done = 0;  // a word that was split within a character must not begin before this
  for (const std::string_view word : state_->words) {
    const std::string_view term = state_->term_of(word);
    if (term.empty()) continue;
    const auto begin = static_cast<std::size_t>(word.data() - searched.data());
    terms.push_back(state_->located(begin, begin + word.size(), term, done));
    done = terms.back().offset + terms.back().size;
  }
  return terms;
}

}  // namespace warpdex
