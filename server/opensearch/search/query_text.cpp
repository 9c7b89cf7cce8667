#include "opensearch/search/query_text.hpp"

#include <string>
#include <utility>

#include "opensearch/face.hpp"
#include "opensearch/search/field_query.hpp"
#include "opensearch/search/word_query.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";

[[noreturn]] void refuse_operator(std::string_view syntax, std::string_view sign) {
  throw parsing_error("'" + std::string(sign) + "' is an operator of " + std::string(syntax) +
                      " that is not supported; take match for plain words");
}

/// The next word of a text, which loses it; empty at the end.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kSpace));
  text.remove_prefix(word.size());
  return word;
}

/// The parts of a simple query string.
struct SimpleParts {
  std::string words{};
  std::vector<std::string> excluded{};
  std::size_t clauses = 0;  ///< that words and excluded are of
  std::size_t joined = 0;   ///< by + or |
  char operation = 0;       ///< + or |, if there is one
};

void add_operation(char sign, SimpleParts& parts) {
  if (parts.operation != 0 && parts.operation != sign) {
    throw parsing_error("simple_query_string joins words by + and by |, which is not supported");
  }
  if (parts.clauses <= parts.joined) {
    throw parsing_error("simple_query_string has a '" + std::string(1, sign) +
                        "' that stands not between two words");
  }
  parts.operation = sign;
  ++parts.joined;
}

void add_word(std::string_view word, SimpleParts& parts) {
  ++parts.clauses;
  if (word.front() != '-') {
    (parts.words += ' ') += word;
    return;
  }
  word.remove_prefix(1);
  if (word.empty() || word.front() == '-') {
    throw parsing_error("simple_query_string has a - without a word behind it");
  }
  parts.excluded.emplace_back(word);
}

SimpleParts parts_of_simple(std::string_view text) {
  const std::size_t bad = text.find_first_of("\"()*~\\");
  if (bad != std::string_view::npos) refuse_operator("simple_query_string", text.substr(bad, 1));
  SimpleParts parts;
  for (std::string_view word; !(word = next_word(text)).empty();) {
    while (!word.empty()) {
      const std::size_t end = std::min(word.find_first_of("+|"), word.size());
      if (end > 0) add_word(word.substr(0, end), parts);
      if (end < word.size()) add_operation(word[end], parts);
      word.remove_prefix(std::min(end + 1, word.size()));
    }
  }
  if (parts.clauses > 0 && parts.clauses <= parts.joined) {
    throw parsing_error("simple_query_string ends with an operator");
  }
  return parts;
}

}  // namespace

QueryNode read_simple_query_string(const std::string& text, const QueryContext& context,
                                   bool are_required) {
  check_text(text, context);
  const SimpleParts parts = parts_of_simple(text);
  const bool are_all_joined = parts.joined + 1 == parts.clauses;
  if (parts.operation != 0 && are_required != (parts.operation == '+') && !are_all_joined) {
    throw parsing_error(
        "simple_query_string joins some words by an operator and others by the default one, which "
        "is not supported; write it between all");
  }
  const bool are_all = parts.operation == 0 ? are_required : parts.operation == '+';
  if (!parts.excluded.empty() && !are_all) {
    throw parsing_error(
        "simple_query_string has a -word where any word may match, so that it would match all "
        "documents without the word; ask for default_operator 'and'");
  }
  const auto words = [](const std::string& of, bool all_words) {
    QueryNode node{.kind = QueryNode::Kind::kMatch, .text = of};
    node.all_words = all_words;
    node.may_vanish = false;
    return node;
  };
  QueryNode node{.kind = QueryNode::Kind::kBoolean};
  const bool has_positive = parts.excluded.size() < parts.clauses || parts.clauses == 0;
  if (has_positive) {
    node.must.push_back(words(parts.words, are_all));
  } else {
    node.filter.push_back({.kind = QueryNode::Kind::kAll});
  }
  for (const std::string& word : parts.excluded) node.must_not.push_back(words(word, true));
  return node;
}

}  // namespace warpdex::server::opensearch
