// The syntax of filters, by recursive descent over tokens.
#include <algorithm>
#include <optional>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

struct FilterToken {
  enum class Kind { kEnd, kWord, kQuoted, kSign };
  Kind kind = Kind::kEnd;
  std::string text{};  ///< without quotes and escapes
  std::size_t place = 0;
};

[[noreturn]] void fail_filter(std::size_t place, const std::string& what) {
  throw InputError("the filter, at byte " + std::to_string(place) + ": " + what);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_sign(char c) { return std::string_view("()[]{},=!<>").find(c) != std::string_view::npos; }

/// Cuts a filter's text into tokens.
class FilterScanner {
 public:
  explicit FilterScanner(std::string_view text) : text_(text) {}

  FilterToken next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    FilterToken token{.place = at_};
    if (at_ == text_.size()) return token;
    const char first = text_[at_];
    if (first == '"' || first == '\'') {
      token.kind = FilterToken::Kind::kQuoted;
      token.text = quoted(first);
    } else if (is_sign(first)) {
      token.kind = FilterToken::Kind::kSign;
      const bool is_two = first != '=' && at_ + 1 < text_.size() && text_[at_ + 1] == '=' &&
                          (first == '!' || first == '<' || first == '>');
      token.text = text_.substr(at_, is_two ? 2 : 1);
      at_ += token.text.size();
    } else {
      token.kind = FilterToken::Kind::kWord;
      while (at_ < text_.size() && !is_space(text_[at_]) && !is_sign(text_[at_])) ++at_;
      token.text = text_.substr(token.place, at_ - token.place);
    }
    return token;
  }

 private:
  std::string quoted(char quote) {
    const std::size_t begin = at_++;
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return value;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    fail_filter(begin, "the quote that begins here has no end");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : scanner_(text) { step(); }

  FilterNode parse() {
    if (now_.kind == FilterToken::Kind::kEnd) return {};
    FilterNode filter = either();
    if (now_.kind != FilterToken::Kind::kEnd) fail("here an AND or OR is missing, or the end");
    return filter;
  }

 private:
  using Kind = FilterNode::Kind;

  void step() { now_ = scanner_.next(); }
  [[noreturn]] void fail(const std::string& what) const { fail_filter(now_.place, what); }
  bool is_word(std::string_view word) const {
    return now_.kind == FilterToken::Kind::kWord && now_.text == word;
  }
  bool is_sign_of(std::string_view sign) const {
    return now_.kind == FilterToken::Kind::kSign && now_.text == sign;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    step();
    return true;
  }
  bool take_sign(std::string_view sign) {
    if (!is_sign_of(sign)) return false;
    step();
    return true;
  }
  FilterNode node(Kind kind, std::size_t place) {
    if (++nodes_ > kMaxFilterNodes) {
      fail_filter(place, "there are more than " + std::to_string(kMaxFilterNodes) + " clauses");
    }
    FilterNode made;
    made.kind = kind;
    made.place = place;
    return made;
  }

  /// Clauses with a word between them.
  template <class Clause>
  FilterNode joined(Kind kind, std::string_view word, const Clause& clause) {
    const std::size_t place = now_.place;
    FilterNode first = clause();
    if (!is_word(word)) return first;
    FilterNode all = node(kind, place);
    all.clauses.push_back(std::move(first));
    while (take_word(word)) all.clauses.push_back(clause());
    return all;
  }
  FilterNode either() {
    return joined(Kind::kOr, "OR", [this] { return both(); });
  }
  FilterNode both() {
    return joined(Kind::kAnd, "AND", [this] { return clause(); });
  }

  FilterNode clause() {
    if (++depth_ > kMaxQueryDepth) {
      fail("there are more than " + std::to_string(kMaxQueryDepth) +
           " parentheses and NOTs in each other");
    }
    FilterNode made = nested();
    --depth_;
    return made;
  }
  FilterNode nested() {
    const std::size_t place = now_.place;
    if (take_word("NOT")) return negated(place, clause());
    if (take_sign("(")) {
      FilterNode inner = either();
      if (!take_sign(")")) fail_filter(place, "the parenthesis that begins here has no end");
      return inner;
    }
    return condition();
  }
  FilterNode negated(std::size_t place, FilterNode of) {
    FilterNode made = node(Kind::kNot, place);
    made.clauses.push_back(std::move(of));
    return made;
  }

  FilterNode condition() {
    const std::size_t place = now_.place;
    for (const char* word : {"AND", "OR", "IN", "TO", "EXISTS"}) {
      if (is_word(word)) fail(std::string("here a field is missing, before ") + word);
    }
    if (now_.kind != FilterToken::Kind::kWord) fail("here a field is missing");
    const std::string field = now_.text;
    step();
    return of_field(place, field);
  }
  FilterNode of_field(std::size_t place, const std::string& field) {
    if (take_word("NOT")) {
      if (is_word("IN") || is_word("EXISTS")) return negated(place, of_field(place, field));
      fail("behind a field, NOT stands before IN or EXISTS");
    }
    FilterNode made = node(Kind::kIn, place);
    made.field = field;
    if (take_word("EXISTS")) {
      made.kind = Kind::kExists;
    } else if (take_word("IN")) {
      made.values = list();
    } else if (take_sign("=")) {
      made.values = {value()};
    } else if (take_sign("!=")) {
      made.values = {value()};
      return negated(place, std::move(made));
    } else if (is_sign_of("[") || is_sign_of("{")) {
      made.includes_lower = is_sign_of("[");
      step();
      read_limits(made);
      if (!is_sign_of("]") && !is_sign_of("}")) fail("here the ] or } of a range is missing");
      made.includes_upper = is_sign_of("]");
      step();
    } else if (is_value()) {
      read_limits(made);
    } else if (!compared(made)) {
      made.values = {"true"};
    }
    return made;
  }
  void read_limits(FilterNode& made) {
    const std::size_t place = now_.place;
    made.kind = Kind::kRange;
    made.values = {value()};
    if (!take_word("TO")) fail("here a TO is missing, or one of = != < <= > >= before it");
    made.values.push_back(value());
    if (made.values[0].empty() || made.values[1].empty()) {
      fail_filter(place, "a limit of a range is empty");
    }
  }
  bool compared(FilterNode& made) {
    const std::string sign = now_.kind == FilterToken::Kind::kSign ? now_.text : "";
    if (sign != "<" && sign != "<=" && sign != ">" && sign != ">=") return false;
    step();
    const std::size_t place = now_.place;
    std::string limit = value();
    if (limit.empty()) fail_filter(place, "a limit of a range is empty");
    made.kind = Kind::kRange;
    made.values = {"", ""};
    (sign[0] == '<' ? made.includes_upper : made.includes_lower) = sign.size() == 2;
    made.values[sign[0] == '<' ? 1 : 0] = std::move(limit);
    return true;
  }

  bool is_value() const {
    if (now_.kind == FilterToken::Kind::kQuoted) return true;
    return now_.kind == FilterToken::Kind::kWord && now_.text != "AND" && now_.text != "OR";
  }
  std::string value() {
    if (!is_value()) fail("here a value is missing");
    if (++values_ > kMaxFilterValues) {
      fail("there are more than " + std::to_string(kMaxFilterValues) + " values");
    }
    std::string text = std::move(now_.text);
    step();
    return text;
  }
  std::vector<std::string> list() {
    const std::size_t place = now_.place;
    if (!take_sign("[")) fail("here a list is missing, as [en, de]");
    std::vector<std::string> values;
    while (!is_sign_of("]")) {
      if (now_.kind == FilterToken::Kind::kEnd) {
        fail_filter(place, "the list that begins here has no end");
      }
      values.push_back(value());
      take_sign(",");
    }
    step();
    return values;
  }

  FilterScanner scanner_;
  FilterToken now_;
  std::size_t nodes_ = 0;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
};

std::string quoted_value(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string joined_text(const FilterNode& filter, const char* between) {
  std::string text;
  for (const FilterNode& clause : filter.clauses) {
    text += (text.empty() ? "(" : between) + filter_text(clause);
  }
  return text + ')';
}

std::string range_text(const FilterNode& filter) {
  const std::string& lower = filter.values[0];
  const std::string& upper = filter.values[1];
  if (lower.empty() && upper.empty()) return filter.field + " EXISTS";
  if (upper.empty()) {
    return filter.field + (filter.includes_lower ? " >= " : " > ") + quoted_value(lower);
  }
  if (lower.empty()) {
    return filter.field + (filter.includes_upper ? " <= " : " < ") + quoted_value(upper);
  }
  return filter.field + (filter.includes_lower ? " [" : " {") + quoted_value(lower) + " TO " +
         quoted_value(upper) + (filter.includes_upper ? "]" : "}");
}

}  // namespace

FilterNode parse_filter(std::string_view text) {
  analysis::require_utf8(text);
  return FilterParser(text).parse();
}

std::string filter_text(const FilterNode& filter) {
  switch (filter.kind) {
    case FilterNode::Kind::kAll: return "id EXISTS";
    case FilterNode::Kind::kExists: return filter.field + " EXISTS";
    case FilterNode::Kind::kRange: return range_text(filter);
    case FilterNode::Kind::kAnd: return joined_text(filter, " AND ");
    case FilterNode::Kind::kOr: return joined_text(filter, " OR ");
    case FilterNode::Kind::kNot: return "NOT " + filter_text(filter.clauses[0]);
    case FilterNode::Kind::kIn: break;
  }
  std::string list;
  for (const std::string& value : filter.values) {
    list += (list.empty() ? "" : ", ") + quoted_value(value);
  }
  return filter.field + " IN [" + list + "]";
}

}  // namespace warpdex
