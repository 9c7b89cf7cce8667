// Looks for signs of other query languages. It only looks: the parser does not ask it.
#include "output/query_notes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "output/long_words.hpp"
#include "output/term_notes.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
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

/// A word as +sea, +1984 or -sea, and not -5 or --flag.
bool has_plus_or_minus(std::string_view text) {
  return any_word(text, [](std::string_view word) {
    return word.size() > 1 &&
           ((word[0] == '+' && is_word(word[1])) || (word[0] == '-' && is_letter(word[1])));
  });
}

/// A word as -covid-19, which may be of several terms.
bool may_exclude_long_word(std::string_view text) {
  return any_word(text, [](std::string_view word) { return word.size() > 3 && word[0] == '-'; });
}

struct Kind {
  bool (*is_in)(std::string_view text);
  const char* sign;
  const char* truth;         ///< what it does not do
  bool is_of_plain = true;   ///< noted in this syntax
  bool is_of_signed = true;  ///< likewise
};

constexpr std::array<Kind, 9> kKinds{{
    {has_quotes, "quotes", "they make no phrase"},
    {has_operator, "AND, OR or NOT",
     "these are no operators (but are with --query-syntax lucene; --mode says how words combine)"},
    {has_field, "a word before a colon", "it names no field"},
    {has_weight, "a number behind ^", "it gives no weight (but does with --query-syntax signed)",
     true, false},
    {has_wildcard, "*", "it is no wildcard (but is with --query-syntax lucene)"},
    {has_tilde, "~",
     "it finds no words that are alike or near (but does with --query-syntax lucene)"},
    {has_parentheses, "parentheses", "they group nothing (but do with --query-syntax lucene)"},
    {has_plus_or_minus, "+ or - before a word",
     "it asks for nothing (but does with --query-syntax signed)", true, false},
    {may_exclude_long_word, "- before a word of several terms",
     "it excludes documents with all of these, wherever they stand", false, true},
}};

/// Tells queries that have a sign, and explains the first.
class NoteMaker {
 public:
  NoteMaker(QuerySyntax syntax, Analyzer& analyzer) : syntax_(syntax), analyzer_(analyzer) {}

  /// Empty if no query has it.
  std::string note(const Kind& kind, const std::vector<QueryText>& queries) {
    // There they have a meaning.
    if (syntax_ == QuerySyntax::kLucene || syntax_ == QuerySyntax::kJson) return {};
    if (!(syntax_ == QuerySyntax::kSigned ? kind.is_of_signed : kind.is_of_plain)) return {};
    const QueryText* first = nullptr;
    std::size_t count = 0;
    for (const QueryText& query : queries) {
      if (has(kind, query) && ++count == 1) first = &query;
    }
    if (count == 0) return {};
    const std::string name = first->id.empty() ? "the query" : "query " + first->id;
    std::string note = count == 1 ? name + " has " : counted(count, "query") + " have ";
    note += std::string(kind.sign) + ", but " + kind.truth;
    if (count > 1) note += "; the first is " + name;
    const std::string terms = first != explained_ ? terms_text(*first) : "";
    if (!terms.empty()) note += "; it is read as " + terms;
    explained_ = first;
    return note;
  }

 private:
  bool has(const Kind& kind, const QueryText& query) {
    if (query.is_vector || !kind.is_in(query.text)) return false;
    if (kind.is_in != may_exclude_long_word) return true;
    try {
      return std::ranges::any_of(read(query).terms,
                                 [](const QueryTerm& term) { return term.word != 0; });
    } catch (const InputError&) {
      return false;  // the search tells it
    }
  }

  /// As for an index with positions: the search tells where there are none.
  Query read(const QueryText& query) {
    return parse_query(query, syntax_, analyzer_, {}, QueryMode::kOr, true);
  }

  /// Empty for a query that cannot be read, which the search tells.
  std::string terms_text(const QueryText& text) {
    try {
      return terms_text(read(text));
    } catch (const InputError&) {
      return "";
    }
  }

  static std::string terms_text(const Query& query) {
    if (query.terms.empty()) return "no terms";
    std::string terms = "the terms ";
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      if (i == kShownTerms) return terms + ", …";
      const QueryTerm& term = query.terms[i];
      if (term.word != 0 && i > 0 && query.terms[i - 1].word == term.word) {
        terms += "&" + term.term;
        continue;
      }
      if (i > 0) terms += ", ";
      if (term.occur != Occur::kUnsigned) terms += term.occur == Occur::kMust ? "+" : "-";
      terms += term.term;
      if (term.weight != 1) terms += "^" + format_score(term.weight);
    }
    return terms;
  }

  QuerySyntax syntax_;
  Analyzer& analyzer_;
  const QueryText* explained_ = nullptr;  ///< the last query whose terms were shown
};

}  // namespace

std::vector<std::string> query_notes(const std::vector<QueryText>& queries, QuerySyntax syntax,
                                     Analyzer& analyzer) {
  NoteMaker maker(syntax, analyzer);
  std::vector<std::string> notes;
  for (const Kind& kind : kKinds) {
    std::string note = maker.note(kind, queries);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  if (std::optional<std::string> note = long_word_note(queries, syntax, analyzer)) {
    notes.push_back(std::move(*note));
  }
  return notes;
}

void print_query_notes(const std::vector<QueryText>& texts, std::span<const Query> queries,
                       QuerySyntax syntax, const IndexReader& index) {
  print_notes(query_notes(texts, syntax, TextAnalyzers(index.settings())[0]));
  TermNotes terms(index);
  terms.look_at(queries);
  print_notes(terms.notes());
}

}  // namespace warpdex::tools
