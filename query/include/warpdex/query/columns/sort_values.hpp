// The values by which a document is sorted, which mean the same in all parts of a whole.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// The most columns that hits are sorted by.
inline constexpr std::size_t kMaxSortKeys = 8;

/// Of one column: the value that counts for the document.
struct SortValue {
  bool is_missing = false;   ///< the document has none
  std::uint64_t number = 0;  ///< its key, as ColumnView has it; 0 of a keyword
  std::string text{};        ///< a keyword; else empty
  bool operator==(const SortValue&) const = default;
};

/// By column.
using SortValues = std::vector<SortValue>;

/// The order of two documents by their values; both have one for each key.
std::strong_ordering compare_values(const SortValues& a, const SortValues& b,
                                    std::span<const SortKey> keys);

}  // namespace warpdex
