// Text analysis: text to the terms that are indexed and searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// A term and its place in a text.
struct Token {
  std::string_view term;
  /// From 0 on, as Lucene counts: a word that is left out leaves a gap, and terms may share one.
  std::uint32_t position = 0;
  /// What it was made of: bytes of the text as it was given. Sorted by begin.
  std::size_t begin = 0, end = 0;
};

/// What analysis says of a whole text.
struct Analyzed {
  std::uint32_t positions = 0;  ///< those that it takes: the first one of a text that follows it
  std::size_t long_words = 0;   ///< left out, since they are longer than kMaxTermBytes
};

/// Turns UTF-8 text into terms. One per thread: an analyzer keeps scratch memory and caches.
class Analyzer {
 public:
  virtual ~Analyzer() = default;

  /// Replaces `terms` by the terms of `text`, in order, repeated as often as they occur. The
  /// views stay valid until the next call, while both the analyzer and `text` live: some terms are
  /// views of the text itself, others of the analyzer's memory. Terms are not empty and at most
  /// kMaxTermBytes long. Returns how many words were left out, since they are longer. Throws
  /// InputError if `text` is not UTF-8, saying at which byte.
  virtual std::size_t analyze(std::string_view text, std::vector<std::string_view>& terms) = 0;

  /// Likewise, and replaces `positions` by those of the terms, as Token::position, which never
  /// fall.
  virtual Analyzed place(std::string_view text, std::vector<std::string_view>& terms,
                         std::vector<std::uint32_t>& positions) = 0;

  /// A part of a word as it is in terms, but not stemmed: what a prefix or a pattern is looked for
  /// by. Not longer than kMaxTermBytes where `part` is not. Throws as analyze().
  virtual std::string fold(std::string_view part) = 0;

  /// Likewise, the same terms with their places; slower.
  virtual Analyzed locate(std::string_view text, std::vector<Token>& tokens) = 0;

  /// Whether a text may be cut after a space or line feed that is before an ASCII letter or digit,
  /// and its pieces analysed one after the other.
  virtual bool cuts_at_spaces() const = 0;
};

/// Longest term, in bytes. Unicode words past 255 code points are split there, as Lucene splits
/// them; what is longer by other tokenizers is left out.
inline constexpr std::size_t kMaxTermBytes = 65'535;

/// The analyzer of that name and version, or that of a description:
/// - "english" (Unicode words, no possessives, case folding, 33 stop words, the English stemmer of
///   Snowball 3) and "standard" (Unicode words and case folding). Version 2 leaves out characters
///   that nobody sees, and takes a word in any of its forms (composed or decomposed, full width,
///   ligatures) for one: NFKC with case folding. Version 1 does neither.
/// - "whitespace" (split at ASCII white space, nothing changed) and "keyword" (the whole text).
/// - "cjk" (as Lucene's), "thai", and the languages that libstemmer has: as version 2 of
///   "standard", then Snowball's stop words, where it has some, and stems.
/// - a description as JSON: {"tokenizer": "standard", "filters": ["lowercase", ...]};
///   docs/guide.md lists the parts.
/// Throws UsageError as check_analyzer() does.
std::unique_ptr<Analyzer> make_analyzer(const AnalyzerSettings& analyzer);

}  // namespace warpdex
