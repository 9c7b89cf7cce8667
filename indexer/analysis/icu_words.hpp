// Word segmentation of any text by ICU (UAX #29 with dictionaries for Chinese, Japanese, Thai and
// the like). Internal to indexer/analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace warpdex::analysis {

/// Words are split after this many code points, as Lucene's StandardTokenizer splits them.
inline constexpr std::size_t kMaxWordCodePoints = 255;

/// Appends `word` to `words`, split every kMaxWordCodePoints code points. `word` is UTF-8.
void append_split(std::string_view word, std::vector<std::string_view>& words);

/// Finds words with ICU's break iterator of the root locale. Two characters that ICU's releases
/// treat differently are fixed here: ':' and '@' always separate words, from version 2 of the
/// analyzers on in all their forms.
class IcuWords {
 public:
  /// Texts are handed to ICU in pieces of at most about `piece_bytes` bytes, which bounds memory
  /// and its 32-bit offsets; cuts fall on word boundaries. Only words, or runs of a script that is
  /// segmented by a dictionary, that are themselves longer than a piece can be cut otherwise.
  explicit IcuWords(std::uint32_t version, bool symbols = false,
                    std::size_t piece_bytes = std::size_t{1} << 20);
  ~IcuWords();

  /// Appends the words of `text`, as views into it: what ICU calls a number, a letter word, kana or
  /// ideographs, unless nothing but connectors such as '_'; with `symbols` also what begins with a
  /// symbol or an emoji, with all that is drawn as one with it. `text` must be valid UTF-8.
  void append(std::string_view text, std::vector<std::string_view>& words);

 private:
  struct State;
  std::size_t append_piece(std::string_view piece, bool last, std::vector<std::string_view>& words);

  std::size_t piece_bytes_;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::analysis
