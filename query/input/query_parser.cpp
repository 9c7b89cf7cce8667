// Queries from text: signs first, then the index's own analysis.
#include "warpdex/query/input/query_parser.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

// Signs are looked for after ASCII white space, at which the whitespace analyzer splits too.
constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

bool has_sign(std::string_view word) { return word.front() == '+' || word.front() == '-'; }

/// Appends terms to a query, piece of text by piece of text.
class QueryBuilder {
 public:
  QueryBuilder(Query& query, Analyzer& analyzer) : query_(query), analyzer_(analyzer) {}

  void add(std::string_view text, Occur occur) {
    if (text.empty()) return;
    analyzer_.analyze(text, terms_);
    for (const std::string_view term : terms_) query_.terms.push_back({std::string(term), occur});
  }

  /// Unsigned words that follow each other are analysed as one piece, as they are in documents.
  void add_signed(std::string_view text) {
    std::size_t unsigned_start = 0;
    for (std::size_t start = text.find_first_not_of(kWhiteSpace); start < text.size();) {
      const std::size_t end = std::min(text.find_first_of(kWhiteSpace, start), text.size());
      const std::string_view word = text.substr(start, end - start);
      if (has_sign(word)) {
        add(text.substr(unsigned_start, start - unsigned_start), Occur::kUnsigned);
        add(word.substr(1), word.front() == '+' ? Occur::kMust : Occur::kMustNot);
        unsigned_start = end;
      }
      start = text.find_first_not_of(kWhiteSpace, end);
    }
    add(text.substr(unsigned_start), Occur::kUnsigned);
  }

 private:
  Query& query_;
  Analyzer& analyzer_;
  std::vector<std::string_view> terms_;
};

}  // namespace

QuerySyntax query_syntax_from_name(std::string_view name) {
  if (name == "plain") return QuerySyntax::kPlain;
  if (name == "signed") return QuerySyntax::kSigned;
  throw UsageError("there is no query syntax '" + std::string(name) + "'; take plain or signed");
}

Query parse_query(std::string_view id, std::string_view text, QuerySyntax syntax,
                  Analyzer& analyzer) {
  Query query{.id = std::string(id), .terms = {}};
  QueryBuilder builder(query, analyzer);
  try {
    analysis::require_utf8(text);  // of the whole, so that the byte it names counts from its start
    if (syntax == QuerySyntax::kSigned) {
      builder.add_signed(text);
    } else {
      builder.add(text, Occur::kUnsigned);
    }
  } catch (const InputError& error) {
    if (id.empty()) throw;
    throw InputError("query " + query.id + ": " + error.what());
  }
  return query;
}

}  // namespace warpdex
