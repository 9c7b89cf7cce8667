// The analyzer "english": Unicode words, no possessives, case folded, no stop words, stemmed.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "analysis/analyzers.hpp"
#include "analysis/english_words.hpp"
#include "analysis/one_form.hpp"
#include "analysis/term_cache.hpp"
#include "analysis/term_storage.hpp"
#include "analysis/word_segmenter.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

class EnglishAnalyzer final : public Analyzer {
 public:
  explicit EnglishAnalyzer(AnalysisPath path)
      : segmenter_(path.version, path.ascii_fast_path), words_(path.version) {
    if (path.version >= kOneFormVersion) form_.emplace();
    if (path.cache_slot_bits > 0) cache_.emplace(path.cache_slot_bits);
  }

  std::size_t analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    storage_.clear();
    if (cache_) cache_->start_text();
    if (form_) text = form_->of(text);
    segmenter_.segment(text, terms);
    const char* const end = text.data() + text.size();
    std::size_t kept = 0;
    for (std::size_t start = 0; start < terms.size(); start += kBatch) {
      const auto words = std::span(terms).subspan(start, std::min(kBatch, terms.size() - start));
      if (cache_) look_up(words, end);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view term =
            cache_ ? term_of(words[i], keys_[i]) : store(words_.term(words[i]));
        if (!term.empty()) terms[kept++] = term;
      }
    }
    terms.resize(kept);
    return 0;
  }

 private:
  static constexpr std::size_t kBatch = 32;  // words whose cache slots are fetched ahead of use

  void look_up(std::span<const std::string_view> words, const char* text_end) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].size() > TermCache::kMaxBytes) continue;
      keys_[i] = TermCache::key_of(words[i], static_cast<std::size_t>(text_end - words[i].data()));
      cache_->prefetch(keys_[i]);
    }
  }

  std::string_view term_of(std::string_view word, const TermCache::Key& key) {
    if (word.size() > TermCache::kMaxBytes) return store(words_.term(word));
    if (const TermCache::Slot* slot = cache_->find(key)) return slot->term();
    const std::string_view term = words_.term(word);
    const TermCache::Slot* slot = cache_->insert(key, term);
    return slot != nullptr ? slot->term() : store(term);
  }

  std::string_view store(std::string_view term) {
    return term.empty() ? term : storage_.keep(term);
  }

  std::optional<OneForm> form_;
  WordSegmenter segmenter_;
  EnglishWords words_;
  std::optional<TermCache> cache_;
  TermStorage storage_;
  std::array<TermCache::Key, kBatch> keys_;
};

}  // namespace

std::unique_ptr<Analyzer> make_english_analyzer(AnalysisPath path) {
  return std::make_unique<EnglishAnalyzer>(path);
}

}  // namespace warpdex::analysis
