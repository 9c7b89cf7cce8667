// A query as its author meant it: terms with signs, after analysis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// What a document must do with a term.
enum class Occur {
  kUnsigned,  ///< as the mode says: required by `and`, optional in `or`
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
  float weight = 1;                ///< its score counts so often; - terms: not read
  bool operator==(const QueryTerm&) const = default;
};

/// Terms in the order of the text; a repeated term stands as often as it was written, and its
/// weights add up.
struct Query {
  std::string id;                ///< as runs and qrels name it; may be empty
  std::vector<QueryTerm> terms;  ///< may be empty: nothing matches
  bool operator==(const Query&) const = default;
};

/// Which documents match, of those that hold a term of the query, all its + terms and no - term.
enum class QueryMode {
  kAnd,    ///< those with every unsigned term
  kOr,     ///< all of those
  kAndOr,  ///< as kAnd, or as kOr where that finds too few (SearchSettings::and_or_min)
};

/// "and", "or" or "and-or"; UsageError for any other.
QueryMode query_mode_from_name(std::string_view name);
/// "and", "or" or "and-or".
std::string_view query_mode_name(QueryMode mode);

}  // namespace warpdex
