// Cuts a query of the syntax `lucene` into tokens. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace warpdex {

/// Called with the byte and a sentence for each mistake. It throws, or the mistake is read around.
using OnMistake = std::function<void(std::size_t, const std::string&)>;

struct LuceneToken {
  enum class Kind {
    kEnd,
    kWord,    ///< `text` without escapes; `pattern` with those of * ? \ alone
    kQuoted,  ///< `text` without escapes
    kAnd,
    kOr,
    kNot,
    kPlus,
    kMinus,
    kOpen,   ///< (
    kClose,  ///< )
    kColon,
    kCaret,       ///< `text`: the number behind it, or empty
    kTilde,       ///< likewise
    kRangeOpen,   ///< [ or {
    kRangeClose,  ///< ] or }
  };
  Kind kind = Kind::kEnd;
  std::size_t place = 0;  ///< of its first byte
  std::string text{};
  std::string pattern{};
  bool has_wildcards = false;  ///< a word with * or ? that are not escaped
  bool is_inclusive = true;    ///< of a range: [ and ]
  bool is_behind_space = true;
};

class LuceneScanner {
 public:
  LuceneScanner(std::string_view text, OnMistake on_mistake)
      : text_(text), on_mistake_(std::move(on_mistake)) {}

  /// The next token; within a range words end only at white space and at its end.
  LuceneToken next(bool in_range = false);

 private:
  LuceneToken word(bool in_range);
  LuceneToken quoted();
  LuceneToken with_number(LuceneToken::Kind kind);
  void append_escaped(std::string& to, std::string* pattern);
  void take_exponent(std::string& number);
  bool ends_word(char c, bool in_range) const;

  std::string_view text_;
  OnMistake on_mistake_;
  std::size_t at_ = 0;
};

}  // namespace warpdex
