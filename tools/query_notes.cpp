// Looks for signs of other query languages. It only looks: the parser does not ask it.
#include "query_notes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "text.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex::tools {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
constexpr std::size_t kShownTerms = 10;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) >= 0x80);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// Whether some character of `text` is `sign`, and `fits(before, after)` of its neighbours, which
/// are '\0' beyond the ends.
template <class Fits>
bool any_sign(std::string_view text, char sign, Fits fits) {
  for (std::size_t at = text.find(sign); at != text.npos; at = text.find(sign, at + 1)) {
    const char before = at == 0 ? '\0' : text[at - 1];
    const char after = at + 1 == text.size() ? '\0' : text[at + 1];
    if (fits(before, after)) return true;
  }
  return false;
}

/// Whether some word, as white space parts them, `fits`.
template <class Fits>
bool any_word(std::string_view text, Fits fits) {
  for (std::size_t start = text.find_first_not_of(kWhiteSpace); start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kWhiteSpace, start), text.size());
    if (fits(text.substr(start, end - start))) return true;
    start = text.find_first_not_of(kWhiteSpace, end);
  }
  return false;
}

bool has_pair(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open);
  return at != text.npos && text.find(close, at + open.size()) != text.npos;
}

bool has_quotes(std::string_view text) {
  return has_pair(text, "\"", "\"") || has_pair(text, "“", "”");
}

bool has_operator(std::string_view text) {
  return any_word(text, [](std::string_view word) {
    return word == "AND" || word == "OR" || word == "NOT" || word == "&&" || word == "||";
  });
}

/// A word as title:sea, and not 10:30, std::vector or http://.
bool has_field(std::string_view text) {
  return any_word(text, [](std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of("+-("), word.size()));
    const std::size_t colon = word.find(':');
    if (colon == word.npos || colon == 0 || colon + 1 == word.size()) return false;
    const std::string_view name = word.substr(0, colon);
    const char after = word[colon + 1];
    return is_letter(name.front()) && after != ':' && after != '/' &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_word(c) || c == '_' || c == '.' || c == '-'; });
  });
}

bool ends_word(char c) { return is_word(c) || c == '"' || c == ')'; }

bool has_weight(std::string_view text) {
  return any_sign(text, '^', [](char before, char after) {
    return ends_word(before) && (is_digit(after) || after == '.');
  });
}

bool has_wildcard(std::string_view text) {
  return any_sign(text, '*',
                  [](char before, char after) { return is_word(before) || is_word(after); });
}

bool has_tilde(std::string_view text) {
  return any_sign(text, '~', [](char before, char) { return ends_word(before); });
}

bool has_parentheses(std::string_view text) { return has_pair(text, "(", ")"); }

struct Kind {
  bool (*is_in)(std::string_view text);
  const char* sign;
  const char* truth;  ///< what it does not do
};

constexpr std::array<Kind, 7> kKinds{{
    {has_quotes, "quotes", "they make no phrase"},
    {has_operator, "AND, OR or NOT", "these are no operators (--mode says how words combine)"},
    {has_field, "a word before a colon", "it names no field"},
    {has_weight, "a number behind ^", "it gives no weight (but does with --query-syntax signed)"},
    {has_wildcard, "*", "it is no wildcard"},
    {has_tilde, "~", "it finds no words that are alike or near"},
    {has_parentheses, "parentheses", "they group nothing"},
}};

std::string terms_text(const QueryText& text, QuerySyntax syntax, Analyzer& analyzer) {
  const Query query = parse_query(text, syntax, analyzer);
  if (query.terms.empty()) return "no terms";
  std::string terms = "the terms ";
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    if (i == kShownTerms) return terms + ", …";
    const QueryTerm& term = query.terms[i];
    if (i > 0) terms += ", ";
    if (term.occur != Occur::kUnsigned) terms += term.occur == Occur::kMust ? "+" : "-";
    terms += term.term;
    if (term.weight != 1) terms += "^" + format_score(term.weight);
  }
  return terms;
}

}  // namespace

std::vector<std::string> query_notes(const std::vector<QueryText>& queries, QuerySyntax syntax,
                                     Analyzer& analyzer) {
  std::vector<std::string> notes;
  const QueryText* explained = nullptr;  // the last query whose terms were shown
  for (const Kind& kind : kKinds) {
    const QueryText* first = nullptr;
    std::size_t count = 0;
    for (const QueryText& query : queries) {
      if (!kind.is_in(query.text)) continue;
      if (kind.is_in == has_weight && syntax == QuerySyntax::kSigned) continue;  // it gives one
      if (++count == 1) first = &query;
    }
    if (count == 0) continue;
    const std::string name = first->id.empty() ? "the query" : "query " + first->id;
    std::string note = count == 1 ? name + " has " : counted(count, "query") + " have ";
    note += std::string(kind.sign) + ", but " + kind.truth;
    if (count > 1) note += "; the first is " + name;
    if (first != explained) note += "; it is read as " + terms_text(*first, syntax, analyzer);
    explained = first;
    notes.push_back(note);
  }
  return notes;
}

}  // namespace warpdex::tools
