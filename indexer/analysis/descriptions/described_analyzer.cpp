// The analyzer of a description: cuts a text into words, and filters each.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "analysis/bigrams.hpp"
#include "analysis/descriptions/description.hpp"
#include "analysis/descriptions/part_types.hpp"
#include "analysis/filters/lowercase.hpp"
#include "analysis/term_cache.hpp"
#include "analysis/term_storage.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

bool is_within(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> not_behind;
  return not_behind(whole.data(), part.data()) &&
         not_behind(part.data() + part.size(), whole.data() + whole.size());
}

/// What an analyzer is made of.
struct Parts {
  std::unique_ptr<Tokenizer> tokenizer;
  WordFilters filters;
  WordFilters folding;  ///< those of them that fold characters, for fold()
  std::optional<Bigrams> bigrams;
  WordFilters later_filters;  ///< of bigrams
  bool is_cached = false;     ///< looking terms up is faster than making them
};

class DescribedAnalyzer final : public Analyzer {
 public:
  DescribedAnalyzer(Parts parts, unsigned cache_slot_bits)
      : parts_(std::move(parts)), lowercase_(parts_.filters.only<LowercaseFilter>()) {
    if (parts_.is_cached && cache_slot_bits > 0) cache_.emplace(cache_slot_bits);
  }

  std::size_t analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    return terms_of(text, terms, nullptr).long_words;
  }

  Analyzed place(std::string_view text, std::vector<std::string_view>& terms,
                 std::vector<std::uint32_t>& positions) override {
    return terms_of(text, terms, &positions);
  }

  Analyzed locate(std::string_view text, std::vector<Token>& tokens) override {
    require_utf8(text);
    storage_.clear();
    tokens.clear();
    const std::string_view cut = parts_.tokenizer->cut(text, true, words_);
    Analyzed analyzed;
    std::size_t done = 0;  // a word that was split within a character begins where the last ended
    for (const std::string_view word : words_) {
      const std::uint32_t position = analyzed.positions++;
      const std::string_view term = term_of(word, parts_.filters, analyzed.long_words);
      if (term.empty()) continue;
      const auto begin = static_cast<std::size_t>(word.data() - cut.data());
      const TextRange place = parts_.tokenizer->place_of({begin, begin + word.size()});
      const std::size_t first = std::max(place.begin, done);
      done = std::max(place.end, first);
      tokens.push_back({term, position, first, done});
    }
    if (parts_.bigrams) {
      analyzed.positions = parts_.bigrams->join(tokens, analyzed.positions, storage_);
      for (Token& token : tokens) {
        token.term = term_of(token.term, parts_.later_filters, analyzed.long_words);
      }
      std::erase_if(tokens, [](const Token& token) { return token.term.empty(); });
    }
    return analyzed;
  }

  std::string fold(std::string_view part) override {
    require_utf8(part);
    const std::string_view folded = part.empty() ? part : parts_.folding.apply(part);
    return std::string(folded.size() <= kMaxTermBytes ? folded : part);
  }

  bool cuts_at_spaces() const override { return parts_.tokenizer->cuts_at_spaces(); }

 private:
  static constexpr std::size_t kBatch = 32;  // words whose cache slots are fetched ahead of use

  using Positions = std::vector<std::uint32_t>;

  /// `positions` is null where they are not wanted.
  Analyzed terms_of(std::string_view text, std::vector<std::string_view>& terms,
                    Positions* positions) {
    if (parts_.bigrams) return terms_of_bigrams(text, terms, positions);
    require_utf8(text);
    text = parts_.tokenizer->cut(text, false, terms);
    Analyzed analyzed{.positions = static_cast<std::uint32_t>(terms.size())};
    if (positions != nullptr) {
      positions->resize(terms.size());
      std::iota(positions->begin(), positions->end(), 0U);
    }
    if (parts_.filters.size() == 0 && text.size() <= kMaxTermBytes) return analyzed;
    storage_.clear();
    analyzed.long_words = cache_                  ? filter_by_cache(text, terms, positions)
                          : lowercase_ != nullptr ? filter(*lowercase_, terms, positions)
                                                  : filter(parts_.filters, terms, positions);
    if (positions != nullptr) positions->resize(terms.size());
    return analyzed;
  }

  Analyzed terms_of_bigrams(std::string_view text, std::vector<std::string_view>& terms,
                            Positions* positions) {
    const Analyzed analyzed = locate(text, tokens_);
    terms.clear();
    if (positions != nullptr) positions->clear();
    for (const Token& token : tokens_) {
      terms.push_back(token.term);
      if (positions != nullptr) positions->push_back(token.position);
    }
    return analyzed;
  }

  template <class Filter>
  std::size_t filter(Filter& filter, std::vector<std::string_view>& words, Positions* positions) {
    std::size_t long_words = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view term = term_of(words[i], filter, long_words);
      if (term.empty()) continue;
      if (positions != nullptr) (*positions)[kept] = static_cast<std::uint32_t>(i);
      words[kept++] = term;
    }
    words.resize(kept);
    return long_words;
  }

  std::size_t filter_by_cache(std::string_view text, std::vector<std::string_view>& terms,
                              Positions* positions) {
    cache_->start_text();
    const char* const end = text.data() + text.size();
    std::size_t long_words = 0;
    std::size_t kept = 0;
    for (std::size_t start = 0; start < terms.size(); start += kBatch) {
      const auto words = std::span(terms).subspan(start, std::min(kBatch, terms.size() - start));
      look_up(words, end);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view term = cached_term_of(words[i], keys_[i], long_words);
        if (term.empty()) continue;
        if (positions != nullptr) (*positions)[kept] = static_cast<std::uint32_t>(start + i);
        terms[kept++] = term;
      }
    }
    terms.resize(kept);
    return long_words;
  }

  void look_up(std::span<const std::string_view> words, const char* text_end) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].size() > TermCache::kMaxBytes) continue;
      keys_[i] = TermCache::key_of(words[i], static_cast<std::size_t>(text_end - words[i].data()));
      cache_->prefetch(keys_[i]);
    }
  }

  std::string_view cached_term_of(std::string_view word, const TermCache::Key& key,
                                  std::size_t& long_words) {
    if (word.size() > TermCache::kMaxBytes) return term_of(word, parts_.filters, long_words);
    if (const TermCache::Slot* slot = cache_->find(key)) return slot->term();
    const std::string_view term = parts_.filters.apply(word);
    const TermCache::Slot* slot = cache_->insert(key, term);
    return slot != nullptr ? slot->term() : kept(term, word);
  }

  /// Counts a word that is left out, since it is too long.
  template <class Filter>
  std::string_view term_of(std::string_view word, Filter& filter, std::size_t& long_words) {
    const bool is_short = word.size() <= kMaxTermBytes;
    const std::string_view term = is_short ? filter.apply(word) : word;
    if (term.size() <= kMaxTermBytes) return kept(term, word);
    ++long_words;
    return {};
  }

  std::string_view kept(std::string_view term, std::string_view word) {
    const bool is_view = term.data() == word.data() || term.empty() || is_within(term, word);
    return is_view ? term : storage_.keep(term);
  }

  Parts parts_;
  LowercaseFilter* lowercase_;  // the only filter, or null
  std::optional<TermCache> cache_;
  TermStorage storage_;
  std::array<TermCache::Key, kBatch> keys_;
  std::vector<std::string_view> words_;
  std::vector<Token> tokens_;  // of analyze(), of bigrams
};

template <class Type>
const Type& type_of(std::span<const Type> types, const Part& part) {
  return *std::ranges::find(types, part.type, &Type::name);
}

/// Where a value cannot be taken, says of which part.
template <class Make>
auto made_of(const std::string& place, const Part& part, const Make& make) try {
  return make();
} catch (const UsageError& error) {
  throw UsageError("the analyzer's " + place + " ('" + part.type + "'): " + error.what());
}

/// The terms of a word on its own, without a space between.
FilterContext context_of(Parts& parts, const AnalysisPath& path) {
  return {path.version,
          [&parts](std::string_view word) { return std::string(parts.filters.apply(word)); }};
}

void add_filter(Parts& parts, const Part& part, const AnalysisPath& path) {
  if (part.type == kBigrams) {
    if (parts.bigrams) throw UsageError("there may be one only");
    const bool* const unigrams = part.find<bool>("output_unigrams");
    parts.bigrams.emplace(unigrams != nullptr && *unigrams);
    return;
  }
  auto filter = type_of(filter_types(), part).make(part, context_of(parts, path));
  if (part.type == "lowercase" || part.type == "asciifolding") {
    parts.folding.add(type_of(filter_types(), part).make(part, context_of(parts, path)));
  }
  (parts.bigrams ? parts.later_filters : parts.filters).add(std::move(filter));
}

}  // namespace

std::unique_ptr<Analyzer> make_described(const Description& description, const AnalysisPath& path) {
  Parts parts;
  parts.tokenizer = made_of("tokenizer", description.tokenizer, [&] {
    const Part& part = description.tokenizer;
    return type_of(tokenizer_types(), part).make(part, path);
  });
  for (std::size_t i = 0; i < description.filters.size(); ++i) {
    const Part& part = description.filters[i];
    made_of("filters[" + std::to_string(i) + "]", part, [&] { add_filter(parts, part, path); });
  }
  // Words of the standard tokenizer hold no NUL, as the cache needs it.
  parts.is_cached = description.tokenizer.type == "standard" && parts.filters.size() > 1;
  return std::make_unique<DescribedAnalyzer>(std::move(parts), path.cache_slot_bits);
}

}  // namespace warpdex::analysis
