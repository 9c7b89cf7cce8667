// Cuts texts into words. Internal to indexer/analysis.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/analysis_path.hpp"

namespace warpdex::analysis {

/// Part of a text, in bytes.
struct TextRange {
  std::size_t begin, end;
};

/// One per thread.
class Tokenizer {
 public:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  /// Replaces `words` by those of `text`, which is UTF-8, in order. They are views of the text that
  /// it returns: `text` or, in another form, one that stays until the next call. place_of() can be
  /// asked after a call that `keeps_places`.
  virtual std::string_view cut(std::string_view text, bool keeps_places,
                               std::vector<std::string_view>& words) = 0;
  /// Where what lies at `range` in the text that was returned stood in the one that was given.
  virtual TextRange place_of(TextRange range) const { return range; }
  /// Whether no word passes a space or line feed before an ASCII letter or digit.
  virtual bool cuts_at_spaces() const { return true; }
};

/// Unicode's words, by dictionaries where a script has no spaces. With `symbols`, symbols and emoji
/// are words too.
std::unique_ptr<Tokenizer> make_standard_tokenizer(const AnalysisPath& path, bool symbols);
/// What lies between ASCII white space, unchanged.
std::unique_ptr<Tokenizer> make_whitespace_tokenizer();
/// The whole text, unchanged.
std::unique_ptr<Tokenizer> make_keyword_tokenizer();

}  // namespace warpdex::analysis
