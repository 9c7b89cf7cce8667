#include "tree/analyzed_tree.hpp"

#include <algorithm>
#include <utility>

#include "tree/column_clause.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex {
namespace {

std::optional<QueryNode> nothing(const QueryNode& node) {
  if (node.may_vanish) return std::nullopt;
  return QueryNode{};
}

/// A tree of the same boost and place.
QueryNode like(const QueryNode& node, QueryNode::Kind kind) {
  return {.kind = kind, .boost = node.boost, .place = node.place, .path = node.path};
}

/// A clause on a column.
QueryNode on_column(const QueryNode& node, const Field& column) {
  std::optional<QueryNode> found;
  try {
    found = column_node(node, column);
  } catch (const InputError& error) {
    refuse_clause(node, error.what());
  }
  if (found) return std::move(*found);
  refuse_clause(node, "'" + column.name +
                          "' is a column, which is asked for whole values, ranges, or any value");
}

}  // namespace

void refuse_clause(const QueryNode& node, const std::string& what) {
  const std::string place = node.path.empty() ? "at byte " + std::to_string(node.place) : node.path;
  throw InputError(place + ": " + what);
}

std::optional<QueryNode> TreeAnalyzer::analyze(const QueryNode& node) {
  std::optional<std::size_t> named;
  if (!node.field.empty()) {
    named = texts_.find(node.field);
    if (const Field* const column = named ? nullptr : texts_.column(node.field)) {
      return on_column(node, *column);
    }
    const std::string names = texts_.list_of_names();
    if (!named) {
      const std::string what = "the index has no field '" + node.field + "'" +
                               (names.empty() ? "; leave it out" : ", it has " + names);
      if (!node.path.empty()) refuse_clause(node, what);
      refuse_clause(node, what + (names.empty() ? ", or" : ";") + " write \\: for the character");
    }
  }
  for (const std::string* text : {&node.text, &node.upper}) {
    if (analysis::find_invalid_utf8(*text) != text->size())
      refuse_clause(node, "the text is not UTF-8");
  }
  switch (node.kind) {
    case QueryNode::Kind::kNothing:
    case QueryNode::Kind::kAll: return node;
    case QueryNode::Kind::kColumns: check_columns(node); return node;
    case QueryNode::Kind::kBoolean:
    case QueryNode::Kind::kConstant:
    case QueryNode::Kind::kBest:
      if (named) refuse_clause(node, "a group has no field; name it in its clauses");
      return boolean(node);
    case QueryNode::Kind::kCombined: return combined(node, fields_of(node));
    case QueryNode::Kind::kBlended:
      return blended(node, node.should.empty() ? searched_ : fields_of(node));
    default: break;
  }
  if (named) {
    const Searched one{*named, 1};
    return in_fields(node, {&one, 1});
  }
  if (type_ == FieldsType::kCombinedFields && texts_.are_several() &&
      node.kind == QueryNode::Kind::kMatch) {
    return combined(node, searched_);
  }
  if (type_ == FieldsType::kCrossFields && node.kind == QueryNode::Kind::kMatch) {
    return blended(node, searched_);
  }
  const bool is_by_word =
      searched_.size() > 1 && node.kind == QueryNode::Kind::kMatch &&
      (node.all_words || node.minimum_should_match > 1 || type_ == FieldsType::kBestFields);
  return is_by_word ? word_by_word(node) : in_fields(node, searched_);
}

void TreeAnalyzer::check_columns(const QueryNode& node) const try {
  check_filter(parse_filter(node.text), texts_.schema());
} catch (const InputError& error) {
  refuse_clause(node, error.what());
}

/// A clause without others in each of the fields: one of them is enough.
std::optional<QueryNode> TreeAnalyzer::in_fields(const QueryNode& node,
                                                 std::span<const Searched> fields) {
  std::vector<QueryNode> found;
  for (const Searched& searched : fields) {
    set_field(searched.field);
    std::optional<QueryNode> one = in_field(node);
    if (!one) continue;
    one->boost *= searched.weight;
    found.push_back(std::move(*one));
  }
  if (found.empty()) return fields.empty() ? std::optional(QueryNode{}) : nothing(node);
  if (found.size() == 1) return std::move(found[0]);
  const bool is_best = type_ == FieldsType::kBestFields || type_ == FieldsType::kCrossFields;
  QueryNode any = like(node, is_best ? QueryNode::Kind::kBest : QueryNode::Kind::kBoolean);
  any.boost = 1;
  any.should = std::move(found);
  return any;
}

/// A match of several words, each of which may be in another field.
std::optional<QueryNode> TreeAnalyzer::word_by_word(const QueryNode& node) {
  QueryNode all = like(node, QueryNode::Kind::kBoolean);
  all.minimum_should_match = node.minimum_should_match;
  for (const QueryNode& word : matches_of_words(node)) {
    if (std::optional<QueryNode> one = in_fields(word, searched_)) {
      (node.all_words ? all.must : all.should).push_back(std::move(*one));
    }
  }
  std::vector<QueryNode>& found = node.all_words ? all.must : all.should;
  if (found.empty()) return nothing(node);
  if (found.size() > 1) return all;
  found[0].boost *= node.boost;
  return std::move(found[0]);
}

/// A clause without others, in the field that is set.
std::optional<QueryNode> TreeAnalyzer::in_field(const QueryNode& node) {
  if (node.kind == QueryNode::Kind::kMatch) return words(node);
  if (node.kind == QueryNode::Kind::kPhrase) return phrase(node);
  QueryNode own = node;
  own.field.clear();
  if (node.kind == QueryNode::Kind::kPrefix || node.kind == QueryNode::Kind::kFuzzy)
    own.text = fold(node.text);
  if (node.kind == QueryNode::Kind::kWildcard) own.text = fold_pattern(node.text);
  if (node.kind == QueryNode::Kind::kRange) {
    own.text = fold(node.text);
    own.upper = fold(node.upper);
  }
  if (own.text.size() > kMaxTermBytes) refuse_clause(node, "a word is longer than any term");
  switch (node.kind) {
    case QueryNode::Kind::kFuzzy: own.field = texts_.name(field_); break;
    case QueryNode::Kind::kRange: return marked_range(own);
    // The mark's number may be a character of patterns.
    case QueryNode::Kind::kWildcard:
      if (field_ > 0) own.text = mark_.substr(0, 1) + "\\" + mark_.substr(1) + own.text;
      break;
    default: own.text = marked(own.text);
  }
  for (std::string& text : own.texts) text = marked(text);
  return own;
}

/// A range that ends with the terms of its field.
QueryNode TreeAnalyzer::marked_range(const QueryNode& node) {
  QueryNode own = node;
  own.text = marked(node.text);
  own.upper = marked(node.upper);
  if (!node.upper.empty() || !texts_.are_several()) return own;
  own.upper = field_mark(field_ + 1);
  own.includes_upper = false;
  return own;
}

SynonymWords TreeAnalyzer::synonym_words(const QueryNode& node) const {
  return {texts_.synonyms(synonyms_, field_), mark_,
          texts_.has_positions(field_) ? "" : texts_.no_positions(field_), node};
}

/// A clause for each word, in the field that is set.
std::vector<QueryNode> TreeAnalyzer::word_clauses(const QueryNode& node) {
  texts_[field_].analyze(node.text, terms_);
  if (synonyms_ && !terms_.empty()) return synonym_words(node).clauses(terms_);
  std::vector<QueryNode> found;
  for (const std::string_view term : terms_) {
    found.push_back({.kind = QueryNode::Kind::kTerm, .text = marked(term), .place = node.place});
    found.back().path = node.path;
  }
  return found;
}

std::optional<QueryNode> TreeAnalyzer::words(const QueryNode& node) {
  std::vector<QueryNode> found = word_clauses(node);
  if (found.empty()) return nothing(node);
  if (found.size() == 1) {
    found[0].boost = node.boost;
    return std::move(found[0]);
  }
  QueryNode all = like(node, QueryNode::Kind::kBoolean);
  all.minimum_should_match = node.minimum_should_match;
  (node.all_words ? all.must : all.should) = std::move(found);
  return all;
}

std::optional<QueryNode> TreeAnalyzer::phrase(const QueryNode& node) {
  texts_[field_].place(node.text, terms_, positions_);
  if (terms_.empty()) return nothing(node);
  if (synonyms_) {
    if (auto found = synonym_words(node).phrase(terms_, positions_)) return found;
  }
  if (terms_.size() == 1) {
    QueryNode term = like(node, QueryNode::Kind::kTerm);
    term.text = marked(terms_[0]);
    return term;
  }
  if (positions_.front() == positions_.back()) return words(node);
  if (!texts_.has_positions(field_)) {
    refuse_clause(node,
                  texts_.no_positions(field_) +
                      ", which a phrase asks for; build it with positions, or write the words in a "
                      "group, as +(one two), or without quotes");
  }
  QueryNode own = like(node, QueryNode::Kind::kPhrase);
  own.slop = node.slop;
  for (const std::string_view word : terms_) own.texts.push_back(marked(word));
  for (const std::uint32_t position : positions_) {
    own.positions.push_back(position - positions_.front());
  }
  return own;
}

std::vector<QueryNode> TreeAnalyzer::all(const std::vector<QueryNode>& nodes) {
  std::vector<QueryNode> found;
  for (const QueryNode& node : nodes) {
    if (std::optional<QueryNode> one = analyze(node)) found.push_back(std::move(*one));
  }
  return found;
}

std::optional<QueryNode> TreeAnalyzer::boolean(const QueryNode& node) {
  QueryNode own = like(node, node.kind);
  own.minimum_should_match = node.minimum_should_match;
  own.tie_breaker = node.tie_breaker;
  const bool joins = synonyms_ != nullptr && node.minimum_should_match < 2 &&
                     node.kind == QueryNode::Kind::kBoolean;
  own.must = all(joins ? join_words(node.must, true) : node.must);
  own.filter = all(node.filter);
  own.should = all(joins ? join_words(node.should, false) : node.should);
  own.must_not = all(node.must_not);
  const auto is_empty = [](const QueryNode& of) {
    return of.must.empty() && of.filter.empty() && of.should.empty() && of.must_not.empty();
  };
  if (is_empty(node)) return QueryNode{};
  if (is_empty(own)) return std::nullopt;
  return own;
}

std::string TreeAnalyzer::fold(std::string_view text) { return texts_[field_].fold(text); }

/// What stands between the characters * and ?.
std::string TreeAnalyzer::fold_pattern(std::string_view pattern) {
  std::string folded;
  std::string literal;
  const auto take_literal = [&] {
    for (const char c : fold(literal)) {
      if (c == '*' || c == '?' || c == '\\') folded += '\\';
      folded += c;
    }
    literal.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      literal += pattern[++i];
    } else if (pattern[i] == '*' || pattern[i] == '?') {
      take_literal();
      folded += pattern[i];
    } else {
      literal += pattern[i];
    }
  }
  take_literal();
  return folded;
}

}  // namespace warpdex
