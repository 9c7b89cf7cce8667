// Text analysis: text to the terms that are indexed and searched.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// Turns UTF-8 text into terms. One per thread: an analyzer keeps scratch memory and caches.
class Analyzer {
 public:
  virtual ~Analyzer() = default;

  /// Replaces `terms` by the terms of `text`, in order, repeated as often as they occur. The
  /// views stay valid until the next call, while both the analyzer and `text` live: some terms are
  /// views of the text itself, others of the analyzer's memory. Terms are not empty and at most
  /// kMaxTermBytes long. Throws InputError if `text` is not UTF-8, saying at which byte.
  virtual void analyze(std::string_view text, std::vector<std::string_view>& terms) = 0;
};

/// Longest term, in bytes. Unicode words past 255 code points are split there, as Lucene splits
/// them; the whitespace analyzer throws InputError for a longer run.
inline constexpr std::size_t kMaxTermBytes = 65'535;

/// The analyzer of that name: "english" (Unicode words, no possessives, case folding, 33 stop
/// words, the English stemmer of Snowball 3), "standard" (Unicode words and case folding),
/// "whitespace" (split at ASCII white space, nothing changed). Throws UsageError, naming the known
/// ones, for any other.
std::unique_ptr<Analyzer> make_analyzer(std::string_view name);

/// The names that make_analyzer takes.
std::vector<std::string> analyzer_names();

}  // namespace warpdex
