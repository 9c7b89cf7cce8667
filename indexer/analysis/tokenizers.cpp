// The tokenizers: by Unicode's words, at white space, and not at all.
#include "analysis/tokenizers.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/one_form.hpp"
#include "analysis/word_segmenter.hpp"

namespace warpdex::analysis {
namespace {

class StandardTokenizer final : public Tokenizer {
 public:
  StandardTokenizer(const AnalysisPath& path, bool symbols)
      : segmenter_(path.version, path.ascii_fast_path, symbols) {
    if (path.version >= kOneFormVersion) form_.emplace();
  }

  std::string_view cut(std::string_view text, bool keeps_places,
                       std::vector<std::string_view>& words) override {
    if (form_) text = form_->of(text, keeps_places);
    segmenter_.segment(text, words);
    return text;
  }

  TextRange place_of(TextRange range) const override {
    if (!form_) return range;
    return {form_->original_begin(range.begin), form_->original_end(range.end)};
  }

 private:
  std::optional<OneForm> form_;
  WordSegmenter segmenter_;
};

constexpr std::array<bool, 256> make_spaces() {
  std::array<bool, 256> spaces{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'})
    spaces[static_cast<std::size_t>(c)] = true;
  return spaces;
}

constexpr auto kSpaces = make_spaces();

bool is_space(char c) { return kSpaces[static_cast<unsigned char>(c)]; }

class WhitespaceTokenizer final : public Tokenizer {
 public:
  std::string_view cut(std::string_view text, bool /*keeps_places*/,
                       std::vector<std::string_view>& words) override {
    words.clear();
    const char* next = text.data();
    const char* const end = next + text.size();
    while (true) {
      while (next < end && is_space(*next)) ++next;
      if (next == end) return text;
      const char* const start = next;
      while (next < end && !is_space(*next)) ++next;
      words.emplace_back(start, static_cast<std::size_t>(next - start));
    }
  }
};

class KeywordTokenizer final : public Tokenizer {
 public:
  std::string_view cut(std::string_view text, bool /*keeps_places*/,
                       std::vector<std::string_view>& words) override {
    words.clear();
    if (!text.empty()) words.push_back(text);
    return text;
  }
  bool cuts_at_spaces() const override { return false; }
};

}  // namespace

std::unique_ptr<Tokenizer> make_standard_tokenizer(const AnalysisPath& path, bool symbols) {
  return std::make_unique<StandardTokenizer>(path, symbols);
}

std::unique_ptr<Tokenizer> make_whitespace_tokenizer() {
  return std::make_unique<WhitespaceTokenizer>();
}

std::unique_ptr<Tokenizer> make_keyword_tokenizer() { return std::make_unique<KeywordTokenizer>(); }

}  // namespace warpdex::analysis
