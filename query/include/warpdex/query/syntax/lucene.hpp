// The syntax `lucene`: that of Lucene's classic parser, which its users type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpdex/query/tree/query_node.hpp"

namespace warpdex {

/// The operator between clauses that have none.
enum class DefaultOperator { kOr, kAnd };

/// A tree, and what a lenient parser left out, a sentence each.
struct LuceneQuery {
  QueryNode tree;
  std::vector<std::string> notes;
};

/// Reads a query: words, "phrases"~2, (groups), AND OR NOT && || !, + and -, field:clause,
/// boosts^2, te*, t?st, word~1, [a TO b], {a TO b}, field:IN [a b], *:* for all documents; \ before
/// a character takes it as it is, and AND, OR, NOT are operators in capitals only. Operators have
/// no precedence, as in Lucene: AND makes its two neighbours required. A text of white space alone
/// matches nothing. Throws InputError, which says at which character, for what is not of the
/// syntax; for more clauses than kMaxQueryNodes, and for text that is not UTF-8. O(bytes).
QueryNode parse_lucene(std::string_view text, DefaultOperator between = DefaultOperator::kOr);

/// The same for what people type: reads around mistakes, and tells what it left out. Throws only
/// for too many clauses, and for text that is not UTF-8.
LuceneQuery parse_lucene_leniently(std::string_view text,
                                   DefaultOperator between = DefaultOperator::kOr);

}  // namespace warpdex
