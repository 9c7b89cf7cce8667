#include "syntax/lucene_scanner.hpp"

#include <cstdint>

#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";
/// These end a word; + and - only begin a clause where no word is under way.
constexpr std::string_view kSpecial = "!():^[]\"{}~";

bool is_space(char c) { return kSpaces.find(c) != kSpaces.npos; }

/// U+3000, which people who write Chinese or Japanese type for a space.
constexpr std::string_view kWideSpace = "\xE3\x80\x80";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& to, std::uint32_t unit) {
  if (unit < 0x80) {
    to += static_cast<char>(unit);
  } else if (unit < 0x800) {
    to += static_cast<char>(0xC0 | unit >> 6);
    to += static_cast<char>(0x80 | (unit & 0x3F));
  } else {
    to += static_cast<char>(0xE0 | unit >> 12);
    to += static_cast<char>(0x80 | (unit >> 6 & 0x3F));
    to += static_cast<char>(0x80 | (unit & 0x3F));
  }
}

}  // namespace

bool LuceneScanner::ends_word(char c, bool in_range) const {
  if (is_space(c) || text_.substr(at_).starts_with(kWideSpace)) return true;
  return in_range ? c == ']' || c == '}' : kSpecial.find(c) != kSpecial.npos;
}

/// The character behind a backslash, which at_ is at.
void LuceneScanner::append_escaped(std::string& to, std::string* pattern) {
  const std::size_t place = at_++;
  if (at_ == text_.size()) {
    on_mistake_(place, "a backslash at the end has no character behind it; write \\\\ for one");
    return;
  }
  std::string escaped;
  if (text_[at_] == 'u' && at_ + 4 < text_.size()) {
    std::uint32_t unit = 0;
    bool is_hex = true;
    for (std::size_t i = at_ + 1; i <= at_ + 4; ++i) {
      const int digit = hex_digit(text_[i]);
      is_hex = is_hex && digit >= 0;
      unit = unit * 16 + static_cast<std::uint32_t>(digit < 0 ? 0 : digit);
    }
    if (is_hex && unit != 0 && (unit < 0xD800 || unit > 0xDFFF)) {
      append_utf8(escaped, unit);
      at_ += 5;
    }
  }
  if (escaped.empty()) {
    do {  // the whole character
      escaped += text_[at_++];
    } while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80);
  }
  to += escaped;
  if (pattern == nullptr) return;
  if (escaped == "*" || escaped == "?" || escaped == "\\") *pattern += '\\';
  *pattern += escaped;
}

LuceneToken LuceneScanner::word(bool in_range) {
  LuceneToken token{.kind = LuceneToken::Kind::kWord, .place = at_};
  while (at_ < text_.size() && !ends_word(text_[at_], in_range)) {
    const char c = text_[at_];
    if (c == '\\') {
      append_escaped(token.text, &token.pattern);
      continue;
    }
    if ((c == '&' || c == '|') && at_ > token.place && at_ + 1 < text_.size() &&
        text_[at_ + 1] == c && !in_range) {
      break;
    }
    token.has_wildcards = token.has_wildcards || c == '*' || c == '?';
    token.text += c;
    token.pattern += c;
    ++at_;
  }
  if (in_range) return token;
  const std::string_view written = text_.substr(token.place, at_ - token.place);
  if (written == "AND") token.kind = LuceneToken::Kind::kAnd;
  if (written == "OR") token.kind = LuceneToken::Kind::kOr;
  if (written == "NOT") token.kind = LuceneToken::Kind::kNot;
  return token;
}

LuceneToken LuceneScanner::quoted() {
  LuceneToken token{.kind = LuceneToken::Kind::kQuoted, .place = at_++};
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\') {
      append_escaped(token.text, nullptr);
    } else {
      token.text += text_[at_++];
    }
  }
  if (at_ == text_.size()) {
    on_mistake_(token.place,
                "the quote that begins here has no end; add one, or write \\\" for a "
                "quotation mark");
  } else {
    ++at_;
  }
  return token;
}

LuceneToken LuceneScanner::with_number(LuceneToken::Kind kind) {
  LuceneToken token{.kind = kind, .place = at_++};
  while (at_ < text_.size() &&
         (hex_digit(text_[at_]) >= 0 ? text_[at_] <= '9' : text_[at_] == '.')) {
    token.text += text_[at_++];
  }
  take_exponent(token.text);
  return token;
}

/// Of a number such as 1e-3, if what comes next is one.
void LuceneScanner::take_exponent(std::string& number) {
  std::size_t end = at_;
  if (number.empty() || end == text_.size() || (text_[end] != 'e' && text_[end] != 'E')) return;
  ++end;
  if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
  const std::size_t digits = end;
  while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
  if (end == digits) return;
  number += text_.substr(at_, end - at_);
  at_ = end;
}

LuceneToken LuceneScanner::next(bool in_range) {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_).starts_with(kWideSpace)) {
      at_ += kWideSpace.size();
    } else {
      break;
    }
  }
  const bool is_behind_space = at_ > begin || begin == 0;
  const auto of = [&](LuceneToken token) {
    token.is_behind_space = is_behind_space;
    return token;
  };
  const auto single = [&](LuceneToken::Kind kind, bool is_inclusive = true) {
    return of({.kind = kind, .place = at_++, .is_inclusive = is_inclusive});
  };
  if (at_ == text_.size()) return of({.kind = LuceneToken::Kind::kEnd, .place = at_});
  const char c = text_[at_];
  if (c == ']' || c == '}') return single(LuceneToken::Kind::kRangeClose, c == ']');
  if (c == '"') return of(quoted());
  if (in_range) return of(word(true));
  const bool is_sign = c == '+' || c == '-' || c == '!';
  if (is_sign && at_ + 1 < text_.size() && is_space(text_[at_ + 1])) {  // a word, as in Lucene
    ++at_;
    return of({.kind = LuceneToken::Kind::kWord,
               .place = at_ - 1,
               .text = std::string(1, c),
               .pattern = std::string(1, c)});
  }
  switch (c) {
    case '(': return single(LuceneToken::Kind::kOpen);
    case ')': return single(LuceneToken::Kind::kClose);
    case ':': return single(LuceneToken::Kind::kColon);
    case '+': return single(LuceneToken::Kind::kPlus);
    case '-': return single(LuceneToken::Kind::kMinus);
    case '!': return single(LuceneToken::Kind::kNot);
    case '[':
    case '{': return single(LuceneToken::Kind::kRangeOpen, c == '[');
    case '^': return of(with_number(LuceneToken::Kind::kCaret));
    case '~': return of(with_number(LuceneToken::Kind::kTilde));
    default: break;
  }
  const std::string_view two = text_.substr(at_, 2);
  if (two == "&&" || two == "||") {
    LuceneToken token{.kind = c == '&' ? LuceneToken::Kind::kAnd : LuceneToken::Kind::kOr,
                      .place = at_};
    at_ += 2;
    return of(std::move(token));
  }
  return of(word(false));
}

}  // namespace warpdex
