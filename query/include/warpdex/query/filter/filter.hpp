// Conditions on the columns and ids of documents, as text and as a tree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// A condition. Of a document with several values in a column, one that fits suffices.
struct FilterNode {
  enum class Kind {
    kAll,     ///< every document
    kIn,      ///< the field has one of `values`; the field "id": documents of these ids
    kRange,   ///< the field has a value from values[0] to values[1]; empty: no limit there
    kExists,  ///< the field has a value; all documents have the field "id"
    kAnd,     ///< all of `clauses`
    kOr,      ///< one of `clauses`
    kNot,     ///< not the one of `clauses`
  };
  Kind kind = Kind::kAll;
  std::string field{};
  std::vector<std::string> values{};  ///< as value_of_text() of the field's type takes them
  bool includes_lower = true;         ///< kRange: values[0] itself
  bool includes_upper = true;         ///< kRange: values[1] itself
  std::vector<FilterNode> clauses{};
  std::size_t place = 0;  ///< the byte of the text that it comes from, for messages

  bool operator==(const FilterNode&) const = default;
};

/// Clauses of a filter, itself included, and values of it; more are refused.
inline constexpr std::size_t kMaxFilterNodes = 4096;
inline constexpr std::size_t kMaxFilterValues = 65'536;

/// Reads `year >= 1990 AND lang IN [en, de] AND NOT draft`: = != < <= > >=, `year 1990 TO 2000`
/// (or [1990 TO 2000], with { } without the limits themselves), IN, EXISTS, AND, OR, NOT (which
/// binds most, then AND), parentheses; texts in "double" or 'single' quotes, where \ takes the next
/// character as it is. A name alone is `= true`. A text of white space alone is every document.
/// Throws InputError, which says at which byte, for what is not of the syntax, for more than
/// kMaxFilterNodes clauses or kMaxFilterValues values, and for more than kMaxQueryDepth parentheses
/// and NOTs in each other. O(bytes).
FilterNode parse_filter(std::string_view text);

/// A text that parse_filter() reads as the same condition.
std::string filter_text(const FilterNode& filter);

/// Throws InputError, which says at which byte and names the fields that there are, for a field
/// that the schema has not and for values that do not fit its type.
void check_filter(const FilterNode& filter, const Schema& schema);

}  // namespace warpdex
