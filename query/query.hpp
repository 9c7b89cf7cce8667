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

struct QueryTerm {
  std::string term;  ///< analysed
  Occur occur = Occur::kUnsigned;
  bool operator==(const QueryTerm&) const = default;
};

/// Terms in the order of the text; a repeated term stands as often as it was written and weighs
/// as much more.
struct Query {
  std::string id;
  std::vector<QueryTerm> terms;
  bool operator==(const Query&) const = default;
};

enum class QueryMode { kAnd, kOr, kAndOr };

/// "and", "or" or "and-or"; UsageError for any other.
QueryMode query_mode_from_name(std::string_view name);
std::string_view query_mode_name(QueryMode mode);

}  // namespace warpdex
