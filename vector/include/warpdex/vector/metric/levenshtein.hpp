// Levenshtein's distance (insertions, deletions, substitutions) from one text to many, by bit
// vectors: Myers, "A fast bit-vector algorithm for approximate string matching", 1999, in the form
// of Hyyrö, 2003, whose blocks of 64 take texts of any length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/vector/metric/metric_settings.hpp"

namespace warpdex::metric {

/// A text prepared for its distances to others. For one thread at a time.
class LevenshteinFrom {
 public:
  static constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max() - 1;

  /// O(length) time and room, 8 bytes for each distinct unit and 64 units of length.
  explicit LevenshteinFrom(std::string_view text, TextUnit unit = TextUnit::kBytes);

  /// The distance if it is at most `limit`, else `limit` + 1; it stops as soon as that is certain.
  /// O(length of `other` · (1 + length of the own text / 64)).
  std::uint32_t to(std::string_view other, std::uint32_t limit = kNoLimit);

  /// Units of the text.
  std::size_t length() const { return length_; }

 private:
  template <class Next>
  std::uint32_t one_block(std::size_t bytes, std::uint32_t limit, const Next& next) const;
  template <class Next>
  std::uint32_t many_blocks(std::size_t bytes, std::uint32_t limit, const Next& next);
  std::uint32_t to_bytes(std::string_view other, std::uint32_t limit);
  std::uint32_t to_code_points(std::string_view other, std::uint32_t limit);
  const std::uint64_t* row_of(char32_t unit) const;

  TextUnit unit_;
  std::size_t length_ = 0;
  std::size_t blocks_ = 0;
  /// Where each unit stands in the text: a bit a place, `blocks_` words a row; row 0 is of units
  /// that the text lacks.
  std::vector<std::uint64_t> places_;
  std::array<std::uint32_t, 256> low_rows_{};                  ///< rows of units below 256
  std::vector<std::pair<char32_t, std::uint32_t>> high_rows_;  ///< of the others, ascending
  std::array<std::uint64_t, 256> low_places_{};                ///< of a text of one block
  struct Column {
    std::uint64_t up;    ///< rows where the distance grows by one downwards
    std::uint64_t down;  ///< rows where it falls
  };
  std::vector<Column> columns_;
};

/// Whether the text is UTF-8, without surrogates and overlong forms.
bool is_utf8(std::string_view text);

/// The units of a text, as LevenshteinFrom counts them.
std::vector<char32_t> text_units(std::string_view text, TextUnit unit);

}  // namespace warpdex::metric
