// A query after analysis: terms with signs and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

struct QueryNode;

/// The most that one query may be, so that no query takes all of a process's time or memory. What
/// reads queries refuses longer ones as bad queries.
struct QueryLimits {
  std::size_t bytes = std::size_t{4} << 20;  ///< of its text
  std::size_t terms = std::size_t{1} << 16;  ///< different terms
};

/// The sign of a term: whether a document must have the term.
enum class Occur {
  kUnsigned,  ///< by the mode: required in `and`, optional in `or`
  kMust,      ///< +term: required in every mode
  kMustNot,   ///< -term: excludes the document in every mode
};

/// The range of a term's weight in a query: wide, and far from where a float loses digits.
inline constexpr float kMinQueryWeight = 1e-9F;
inline constexpr float kMaxQueryWeight = 1e9F;

/// A term of a query, with its sign and weight.
struct QueryTerm {
  std::string term;                ///< as the index's analyzer makes it
  Occur occur = Occur::kUnsigned;  ///< its sign
  float weight = 1;                ///< a factor of its score; ignored for - terms
  /// Of - terms that are one word together, as of -covid-19: the same number above 0. Documents
  /// that have all of them are excluded. 0: the term is a word of its own.
  std::uint32_t word = 0;
  bool operator==(const QueryTerm&) const = default;
};

/// Terms in the order of the text. A repeated term is there as often as it was written, and its
/// weights are added.
struct Query {
  std::string id;                ///< the name in runs and qrels; may be empty
  std::vector<QueryTerm> terms;  ///< may be empty: nothing matches
  /// Words that are not among the terms, since they are longer than kMaxTermBytes.
  std::uint64_t long_words = 0;
  /// Set if the question is more than terms with signs: this tree of terms; `terms` are then those
  /// that score. A TreeSearcher answers it; engines do not look at it.
  std::shared_ptr<const QueryNode> tree{};
  bool operator==(const Query&) const = default;
};

/// Which documents match. In every mode, a match has all + terms, no - term, and at least one term
/// of the query.
enum class QueryMode {
  kAnd,    ///< documents that also have every unsigned term
  kOr,     ///< no further condition
  kAndOr,  ///< as kAnd, or as kOr if that finds too few (SearchSettings::and_or_min)
};

/// "and", "or" or "and-or"; UsageError for any other.
QueryMode query_mode_from_name(std::string_view name);
/// "and", "or" or "and-or".
std::string_view query_mode_name(QueryMode mode);

/// How a query's text is read.
enum class QuerySyntax {
  kPlain,   ///< all of it is words, without signs
  kSigned,  ///< +word is required, -word excludes, word^2.5 has a weight
  kLucene,  ///< Lucene's: groups, AND OR NOT, patterns, near words, ranges (syntax/lucene.hpp)
};

/// "plain", "signed" or "lucene"; UsageError for any other.
QuerySyntax query_syntax_from_name(std::string_view name);

}  // namespace warpdex
