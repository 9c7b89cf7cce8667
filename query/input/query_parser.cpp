// Queries from text: signs first, then the index's own analysis.
#include "warpdex/query/input/query_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "input/query_limits.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/tree/tree_query.hpp"

namespace warpdex {
namespace {

// Signs are looked for after ASCII white space, at which the whitespace analyzer splits too.
constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

bool has_sign(std::string_view word) { return word.front() == '+' || word.front() == '-'; }

/// A word in two: what stands before the last ^, and the number behind it; the whole word and
/// nothing where these are not both there.
struct WeighedWord {
  std::string_view word;
  std::optional<double> weight{};
};

/// Whether these are words that programs print for what is no finite number.
bool is_not_finite(std::string_view number) {
  if (number.front() == '-' || number.front() == '+') number.remove_prefix(1);
  std::string lower(number);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

WeighedWord split_weight(std::string_view word) {
  const std::size_t at = word.rfind('^');
  if (at == word.npos || at == 0 || at + 1 == word.size()) return {word};
  const std::string_view number = word.substr(at + 1);
  if (is_not_finite(number)) return {word.substr(0, at), std::nan("")};
  if (number.find_first_not_of("0123456789.eE+-") != number.npos) return {word};
  double weight = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), weight);
  if (end != number.data() + number.size()) return {word};
  if (status == std::errc::result_out_of_range) weight = std::numeric_limits<double>::infinity();
  return {word.substr(0, at), weight};
}

/// The weight as it is searched with.
float checked_weight(const WeighedWord& word) {
  const double weight = *word.weight;
  if (weight == 0 || (weight >= static_cast<double>(kMinQueryWeight) &&
                      weight <= static_cast<double>(kMaxQueryWeight))) {
    const auto rounded = static_cast<float>(weight);
    return weight == 0 ? 0 : std::clamp(rounded, kMinQueryWeight, kMaxQueryWeight);
  }
  throw InputError("the weight behind '" + std::string(word.word) +
                   "^' is not 0 and not from 1e-9 to 1e9; correct it");
}

/// A match would have to have a word that does not score, which no engine searches for.
[[noreturn]] void refuse_required(std::string_view word) {
  const std::string text(word);
  throw InputError("'+" + text + "^0' asks for a word that must be there and has no weight; give " +
                   "it a small one, as '+" + text + "^1e-9', or leave it out");
}

/// Calls visit(text, sign, weight) for the pieces of a text in the signed syntax. Words without
/// sign and weight that follow each other are one piece, analysed as they are in documents.
template <class Visit>
void for_each_signed(std::string_view text, const Visit& visit) {
  std::size_t unsigned_start = 0;
  for (std::size_t start = text.find_first_not_of(kWhiteSpace); start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kWhiteSpace, start), text.size());
    const std::string_view word = text.substr(start, end - start);
    const bool is_signed = has_sign(word);
    const WeighedWord weighed = split_weight(is_signed ? word.substr(1) : word);
    if (is_signed || weighed.weight) {
      visit(text.substr(unsigned_start, start - unsigned_start), Occur::kUnsigned, 1.0F);
      const Occur occur = !is_signed            ? Occur::kUnsigned
                          : word.front() == '+' ? Occur::kMust
                                                : Occur::kMustNot;
      const float weight = weighed.weight ? checked_weight(weighed) : 1;
      if (occur == Occur::kMust && weight == 0) refuse_required(weighed.word);
      visit(weighed.word, occur, occur == Occur::kMustNot ? 1 : weight);
      unsigned_start = end;
    }
    start = text.find_first_not_of(kWhiteSpace, end);
  }
  visit(text.substr(unsigned_start), Occur::kUnsigned, 1.0F);
}

/// Appends terms to a query, piece of text by piece of text.
class QueryBuilder {
 public:
  QueryBuilder(Query& query, Analyzer& analyzer) : query_(query), analyzer_(analyzer) {}

  void add(std::string_view text, Occur occur, float weight = 1) {
    if (text.empty() || weight == 0) return;
    query_.long_words += analyzer_.analyze(text, terms_);
    const bool is_long = occur == Occur::kMustNot && terms_.size() > 1;
    const std::uint32_t word = is_long ? ++long_words_ : 0;
    for (const std::string_view term : terms_) {
      query_.terms.push_back({std::string(term), occur, weight, word});
    }
  }

  void add_signed(std::string_view text) {
    for_each_signed(text, [this](std::string_view piece, Occur occur, float weight) {
      add(piece, occur, weight);
    });
  }

 private:
  Query& query_;
  Analyzer& analyzer_;
  std::vector<std::string_view> terms_;
  std::uint32_t long_words_ = 0;  // excluded ones, of several terms
};

}  // namespace

QuerySyntax query_syntax_from_name(std::string_view name) {
  if (name == "plain") return QuerySyntax::kPlain;
  if (name == "signed") return QuerySyntax::kSigned;
  if (name == "lucene") return QuerySyntax::kLucene;
  if (name == "json") return QuerySyntax::kJson;
  throw UsageError("there is no query syntax '" + std::string(name) +
                   "'; take plain, signed, lucene or json");
}

namespace {

DefaultOperator operator_of(QueryMode mode) {
  return mode == QueryMode::kAnd ? DefaultOperator::kAnd : DefaultOperator::kOr;
}

bool is_tree_syntax(QuerySyntax syntax) {
  return syntax == QuerySyntax::kLucene || syntax == QuerySyntax::kJson;
}

/// Of a syntax for trees. `mode` is not kAndOr.
QueryNode tree_of_text(std::string_view text, QuerySyntax syntax, QueryMode mode) {
  if (syntax == QuerySyntax::kLucene) return parse_lucene(text, operator_of(mode));
  if (mode == QueryMode::kOr) return parse_json_query(text);
  throw UsageError(
      "queries in JSON say themselves what must match; leave the mode out, or take 'or'");
}

/// Words with signs as a tree, for an index of several texts. `mode` is not kAndOr.
QueryNode tree_of_words(std::string_view text, QuerySyntax syntax, QueryMode mode) {
  const bool all_words = mode == QueryMode::kAnd;
  QueryNode tree{.kind = QueryNode::Kind::kBoolean};
  const auto add = [&](std::string_view piece, Occur occur, float weight) {
    if (piece.find_first_not_of(kWhiteSpace) == piece.npos || weight == 0) return;
    QueryNode words{.kind = QueryNode::Kind::kMatch, .boost = weight, .text = std::string(piece)};
    words.all_words = all_words || occur != Occur::kUnsigned;
    auto& part = occur == Occur::kMustNot ? tree.must_not
                 : words.all_words        ? tree.must
                                          : tree.should;
    part.push_back(std::move(words));
  };
  if (syntax == QuerySyntax::kSigned) {
    for_each_signed(text, add);
  } else {
    add(text, Occur::kUnsigned, 1);
  }
  if (tree.must.empty() && tree.should.empty()) return {};
  return tree;
}

/// Adds the query's name to what is wrong with it.
template <class Read>
void read_named(Query& query, const Read& read) try {
  read();
} catch (const InputError& error) {
  if (query.id.empty()) throw;
  throw InputError("query " + query.id + ": " + error.what());
}

/// Reads a text by a mode. By kAndOr it becomes two questions, one for each of the other modes.
template <class ReadBy>
Query read_by_mode(QueryMode mode, const ReadBy& read_by) {
  if (mode != QueryMode::kAndOr) return read_by(mode);
  Query query = read_by(QueryMode::kAnd);
  query.or_else = std::make_shared<const Query>(read_by(QueryMode::kOr));
  return query;
}

/// A query of terms that are known.
Query query_of_terms(const QueryText& text, const QueryLimits& limits) {
  Query query{text.id, text.vector, text.long_terms};
  read_named(query, [&] { check_query_terms(query, limits); });
  return query;
}

}  // namespace

Query parse_query(std::string_view id, std::string_view text, QuerySyntax syntax,
                  const TextAnalyzers& texts, const SearchedFields& fields,
                  const QueryLimits& limits, QueryMode mode) {
  if (texts.searched(fields).size() == 1 && !texts.are_several() && !fields.synonyms &&
      !is_tree_syntax(syntax)) {
    return parse_query(id, text, syntax, texts[0], limits, mode);
  }
  return read_by_mode(mode, [&](QueryMode by) {
    Query query{.id = std::string(id), .terms = {}};
    read_named(query, [&] {
      check_query_bytes(text.size(), limits);
      analysis::require_utf8(text);
      const QueryNode tree =
          is_tree_syntax(syntax) ? tree_of_text(text, syntax, by) : tree_of_words(text, syntax, by);
      take_tree(query, tree, texts, fields);
      check_query_terms(query, limits);
    });
    return query;
  });
}

Query parse_query(const QueryText& text, QuerySyntax syntax, const TextAnalyzers& texts,
                  const SearchedFields& fields, const QueryLimits& limits, QueryMode mode) {
  if (text.is_vector) return query_of_terms(text, limits);
  return parse_query(text.id, text.text, syntax, texts, fields, limits, mode);
}

Query parse_query(std::string_view id, std::string_view text, QuerySyntax syntax,
                  Analyzer& analyzer, const QueryLimits& limits, QueryMode mode,
                  bool has_positions) {
  if (is_tree_syntax(syntax)) {
    return parse_query(id, text, syntax, TextAnalyzers(analyzer, has_positions), {}, limits, mode);
  }
  Query query{.id = std::string(id), .terms = {}};
  QueryBuilder builder(query, analyzer);
  read_named(query, [&] {
    check_query_bytes(text.size(), limits);
    analysis::require_utf8(text);  // of the whole, so that the byte it names counts from its start
    if (syntax == QuerySyntax::kSigned) {
      builder.add_signed(text);
    } else {
      builder.add(text, Occur::kUnsigned);
    }
    check_query_terms(query, limits);
  });
  return query;
}

Query parse_query(const QueryText& text, QuerySyntax syntax, Analyzer& analyzer,
                  const QueryLimits& limits, QueryMode mode, bool has_positions) {
  if (!text.is_vector) {
    return parse_query(text.id, text.text, syntax, analyzer, limits, mode, has_positions);
  }
  return query_of_terms(text, limits);
}

}  // namespace warpdex
