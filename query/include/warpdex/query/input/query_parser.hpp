// The query syntaxes: `plain` (words, a dash is punctuation), `signed` (+must, -not) and `lucene`.
#pragma once

#include <string_view>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex {

/// Analyses `text` with the index's analyzer. In `signed`, a word (a run without white space) that
/// starts with + or - gives its sign to every term that analysis makes of the rest of it; a sign
/// alone is ignored. A word that ends in ^ and a number gives that weight to its terms; with weight
/// 0 it is left out, and after - the weight is ignored. Throws InputError if `text` is not UTF-8,
/// for a weight that is out of range, for a weight of 0 after +, and for a query beyond the limits.
/// `lucene` is read by parse_lucene() and take_tree(), which throw InputError for what is not of
/// the syntax and what the index has not. With `mode` kAnd, clauses without an operator between
/// them must all match there; its queries are for QueryMode::kOr. With kAndOr a query has
/// Query::or_else, too. `has_positions`: whether the index has these, which phrases ask for.
Query parse_query(std::string_view id, std::string_view text, QuerySyntax syntax,
                  Analyzer& analyzer, const QueryLimits& limits = {},
                  QueryMode mode = QueryMode::kOr, bool has_positions = false);

/// The same of an index with text fields: words that name none search `fields`. Of several texts,
/// every syntax is read with `mode`, and its queries are for QueryMode::kOr: a word is there where
/// it is in one of the fields. Throws UsageError for a field to search that the index has not.
Query parse_query(std::string_view id, std::string_view text, QuerySyntax syntax,
                  const TextAnalyzers& texts, const SearchedFields& fields,
                  const QueryLimits& limits = {}, QueryMode mode = QueryMode::kOr);

/// A query of a file. Its text is parsed likewise; its terms, if it has these, are taken as they
/// are.
Query parse_query(const QueryText& query, QuerySyntax syntax, Analyzer& analyzer,
                  const QueryLimits& limits = {}, QueryMode mode = QueryMode::kOr,
                  bool has_positions = false);
Query parse_query(const QueryText& query, QuerySyntax syntax, const TextAnalyzers& texts,
                  const SearchedFields& fields, const QueryLimits& limits = {},
                  QueryMode mode = QueryMode::kOr);

}  // namespace warpdex
