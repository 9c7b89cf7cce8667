// Unicode words of a text, fast where it is ASCII. Internal to indexer/analysis.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/icu_words.hpp"

namespace warpdex::analysis {

/// Finds the words of a text by a few table look-ups where it is ASCII, and by ICU around other
/// characters; both give the same words. One per thread.
class WordSegmenter {
 public:
  /// Of a version of the analyzers. Without `ascii_fast_path` everything goes to ICU: the reference
  /// that tests compare with. So it does with `symbols`, by which symbols and emoji are words too.
  explicit WordSegmenter(std::uint32_t version, bool ascii_fast_path = true, bool symbols = false)
      : ascii_fast_path_(ascii_fast_path && !symbols), icu_(version, symbols) {}

  /// Replaces `words` by the words of `text`, in order, as views into it, split every
  /// kMaxWordCodePoints code points. `text` must be valid UTF-8. O(bytes).
  void segment(std::string_view text, std::vector<std::string_view>& words);

 private:
  bool ascii_fast_path_;
  IcuWords icu_;
};

}  // namespace warpdex::analysis
