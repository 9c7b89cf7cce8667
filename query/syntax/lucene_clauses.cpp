// What is not a group: words, phrases, ranges, sets.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "syntax/lucene_parser.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

std::optional<double> LuceneParser::number() const {
  double value = 0;
  const char* const end = token_.text.data() + token_.text.size();
  const auto [last, status] = std::from_chars(token_.text.data(), end, value);
  if (token_.text.empty() || last != end || status != std::errc()) return std::nullopt;
  return value;
}

/// A group's boost multiplies what its one clause has.
void LuceneParser::read_boost(QueryNode& node) {
  if (token_.kind != LuceneToken::Kind::kCaret) return;
  const std::optional<double> value = number();
  const double boost = value.value_or(-1) * static_cast<double>(node.boost);
  if (boost == 0 || (boost >= static_cast<double>(kMinQueryWeight) &&
                     boost <= static_cast<double>(kMaxQueryWeight))) {
    node.boost =
        boost == 0 ? 0 : std::clamp(static_cast<float>(boost), kMinQueryWeight, kMaxQueryWeight);
  } else {
    mistake("'^' wants a number behind it, 0 or 1e-9 to 1e9; write \\^ for the character");
  }
  advance();
}

QueryNode LuceneParser::quoted(const std::string& field) {
  QueryNode node = make(QueryNode::Kind::kPhrase, field);
  node.text = std::move(token_.text);
  advance();
  if (token_.kind == LuceneToken::Kind::kTilde) {
    const std::optional<double> slop = number();
    if (slop && *slop == std::floor(*slop) && *slop <= 1e6) {
      node.slop = static_cast<std::uint32_t>(*slop);
    } else {
      mistake("'~' behind a phrase wants a whole number, how far its words may be apart");
    }
    advance();
  }
  read_boost(node);
  return node;
}

std::optional<QueryNode> LuceneParser::range(const std::string& field) {
  QueryNode node = make(QueryNode::Kind::kRange, field);
  const std::size_t place = token_.place;
  node.includes_lower = token_.is_inclusive;
  std::vector<LuceneToken> inside;
  advance(true);
  while (token_.kind == LuceneToken::Kind::kWord || token_.kind == LuceneToken::Kind::kQuoted) {
    inside.push_back(token_);
    advance(true);
  }
  if (token_.kind != LuceneToken::Kind::kRangeClose) {
    on_mistake_(place, "the range that begins here has no end; add a ] or }, or write \\[ or \\{");
    return std::nullopt;
  }
  node.includes_upper = token_.is_inclusive;
  advance();
  if (inside.size() == 3 && inside[1].kind == LuceneToken::Kind::kWord && inside[1].text == "TO") {
    inside.erase(inside.begin() + 1);
  }
  if (inside.size() != 2) {
    on_mistake_(place, "a range is [from TO to], with * for no limit");
    if (token_.kind == LuceneToken::Kind::kCaret) advance();
    return std::nullopt;
  }
  const auto is_open = [](const LuceneToken& end) {
    return end.kind == LuceneToken::Kind::kWord && end.pattern == "*";
  };
  if (!is_open(inside[0])) node.text = std::move(inside[0].text);
  if (!is_open(inside[1])) node.upper = std::move(inside[1].text);
  read_boost(node);
  return node;
}

/// What stands behind "field:IN".
std::optional<QueryNode> LuceneParser::set(const std::string& field) {
  QueryNode node = make(QueryNode::Kind::kAny, field);
  const std::size_t place = token_.place;
  advance(true);
  while (token_.kind == LuceneToken::Kind::kWord || token_.kind == LuceneToken::Kind::kQuoted) {
    make(QueryNode::Kind::kTerm, field);  // counts
    node.texts.push_back(std::move(token_.text));
    advance(true);
  }
  if (token_.kind != LuceneToken::Kind::kRangeClose) {
    on_mistake_(place, "the set that begins here has no end; add a ]");
    return std::nullopt;
  }
  advance();
  read_boost(node);
  return node;
}

std::optional<QueryNode> LuceneParser::of_word(const std::string& field) {
  LuceneToken word = token_;
  QueryNode node = make(QueryNode::Kind::kMatch, field);
  advance();
  if (token_.kind == LuceneToken::Kind::kColon && !token_.is_behind_space) {
    advance();
    if (word.pattern == "*" && token_.kind == LuceneToken::Kind::kWord && token_.pattern == "*") {
      advance();
      node.kind = QueryNode::Kind::kAll;
      read_boost(node);
      return node;
    }
    if (token_.kind == LuceneToken::Kind::kEnd || token_.kind == LuceneToken::Kind::kClose ||
        token_.is_behind_space) {
      on_mistake_(word.place, "the field '" + word.text +
                                  "' has no clause; write one right behind "
                                  "its colon, or \\: for the character");
      return std::nullopt;
    }
    if (token_.kind == LuceneToken::Kind::kWord && token_.text == "IN") {
      const LuceneToken in = token_;
      advance();
      if (token_.kind == LuceneToken::Kind::kRangeOpen) return set(word.text);
      node.field = word.text;
      node.text = in.text;
      return node;
    }
    std::optional<QueryNode> of_field = clause(word.text);
    if (of_field) of_field->place = word.place;
    return of_field;
  }
  if (word.pattern.size() > 1 && word.pattern.front() == '/' && word.pattern.back() == '/') {
    on_mistake_(word.place, "regular expressions are not supported; write \\/ for a slash");
  }
  if (word.text.empty()) return std::nullopt;  // a \ at the end, told of
  node.text = word.text;
  if (word.has_wildcards) {
    if (word.pattern == "*" && field.empty()) {
      on_mistake_(word.place, "'*' alone stands for every word; write *:* for all documents");
      if (token_.kind == LuceneToken::Kind::kCaret) advance();
      return std::nullopt;
    }
    const std::size_t first = word.pattern.find_first_of("*?\\");
    if (first + 1 == word.pattern.size() && word.pattern.back() == '*') {
      node.kind = QueryNode::Kind::kPrefix;
      node.text = word.pattern.substr(0, first);
    } else {
      node.kind = QueryNode::Kind::kWildcard;
      node.text = std::move(word.pattern);
    }
  } else if (token_.kind == LuceneToken::Kind::kTilde && !token_.is_behind_space) {
    const std::optional<double> edits = token_.text.empty() ? 2 : number();
    if (edits && (*edits == 0 || *edits == 1 || *edits == 2)) {
      node.kind = QueryNode::Kind::kFuzzy;
      node.edits = static_cast<std::uint32_t>(*edits);
    } else {
      mistake("'~' behind a word wants 0, 1 or 2, how many edits from it words may be");
    }
    advance();
  }
  read_boost(node);
  return node;
}

}  // namespace warpdex
