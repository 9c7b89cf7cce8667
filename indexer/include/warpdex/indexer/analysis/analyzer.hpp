// Text analysis: text to the terms that are indexed and searched.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

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

  /// A part of a word as it is in terms, but not stemmed: what a prefix or a pattern is looked for
  /// by. Not longer than kMaxTermBytes where `part` is not. Throws as analyze().
  virtual std::string fold(std::string_view part) { return std::string(part); }
};

/// Longest term, in bytes. Unicode words past 255 code points are split there, as Lucene splits
/// them; the whitespace analyzer leaves out a longer run.
inline constexpr std::size_t kMaxTermBytes = 65'535;

/// The analyzer of that name and version:
/// - "english" (Unicode words, no possessives, case folding, 33 stop words, the English stemmer of
///   Snowball 3) and "standard" (Unicode words and case folding). Version 2 leaves out characters
///   that nobody sees, and takes a word in any of its forms (composed or decomposed, full width,
///   ligatures) for one: NFKC with case folding. Version 1 does neither.
/// - "whitespace" (split at ASCII white space, nothing changed).
/// Throws UsageError as check_analyzer() does.
std::unique_ptr<Analyzer> make_analyzer(const AnalyzerSettings& analyzer);

}  // namespace warpdex
