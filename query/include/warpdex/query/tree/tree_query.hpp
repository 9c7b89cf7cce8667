// A tree as an index's question: its texts analysed.
#pragma once

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex {

/// Makes a tree the question of `query`, with its texts analysed as documents are. Where terms with
/// signs ask the same for QueryMode::kOr, these are `query.terms`, and engines answer them, on a
/// GPU too; else `query.tree` is set. Words that analysis leaves out (stop words) are left out, and
/// clauses of these alone. Prefixes, patterns and near words are folded, but not stemmed. Throws
/// InputError, which says at which byte of the text, for a field that the index has not and, unless
/// it `has_positions`, for a phrase of several words; and as check_query_tree().
void take_tree(Query& query, const QueryNode& tree, Analyzer& analyzer, bool has_positions = false);
/// The same of an index with text fields. Words without a field search `fields`: one of them is
/// enough for a match. Throws UsageError for a field there that the index has not, too.
void take_tree(Query& query, const QueryNode& tree, const TextAnalyzers& texts,
               const SearchedFields& fields);

/// A query for QueryMode::kOr as a tree of terms.
QueryNode tree_of(const Query& query);

}  // namespace warpdex
