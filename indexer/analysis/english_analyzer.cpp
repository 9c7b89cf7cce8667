// The analyzer "english": Unicode words, no possessives, case folded, no stop words, stemmed.
#include <optional>

#include "warpdex/indexer/analysis/analyzers.hpp"
#include "warpdex/indexer/analysis/english_words.hpp"
#include "warpdex/indexer/analysis/term_cache.hpp"
#include "warpdex/indexer/analysis/term_storage.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/analysis/word_segmenter.hpp"

namespace warpdex::analysis {
namespace {

class EnglishAnalyzer final : public Analyzer {
 public:
  explicit EnglishAnalyzer(AnalysisPath path) : segmenter_(path.ascii_fast_path) {
    if (path.cache_slot_bits > 0) cache_.emplace(path.cache_slot_bits);
  }

  void analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    storage_.clear();
    if (cache_) cache_->start_text();
    segmenter_.segment(text, terms);
    std::size_t kept = 0;
    const char* const end = text.data() + text.size();
    for (const std::string_view word : terms) {
      const std::string_view term = term_of(word, end);
      if (!term.empty()) terms[kept++] = term;
    }
    terms.resize(kept);
  }

 private:
  std::string_view term_of(std::string_view word, const char* text_end) {
    if (!cache_ || word.size() > TermCache::kMaxBytes) return store(words_.term(word));
    const TermCache::Key key =
        TermCache::key_of(word, static_cast<std::size_t>(text_end - word.data()));
    if (const TermCache::Slot* slot = cache_->find(key)) return slot->term();
    const std::string_view term = words_.term(word);
    const TermCache::Slot* slot = cache_->insert(key, term);
    return slot != nullptr ? slot->term() : store(term);
  }

  std::string_view store(std::string_view term) {
    return term.empty() ? term : storage_.keep(term);
  }

  WordSegmenter segmenter_;
  EnglishWords words_;
  std::optional<TermCache> cache_;
  TermStorage storage_;
};

}  // namespace

std::unique_ptr<Analyzer> make_english_analyzer(AnalysisPath path) {
  return std::make_unique<EnglishAnalyzer>(path);
}

}  // namespace warpdex::analysis
