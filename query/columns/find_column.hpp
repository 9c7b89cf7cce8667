// The place of a column among those of an index. Internal.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

/// Throws UsageError, which names the columns that there are.
inline std::size_t find_column(const std::vector<Field>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &Field::name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  std::string names;
  for (const Field& field : columns) names += (names.empty() ? "" : ", ") + field.name;
  throw UsageError("there is no column '" + std::string(name) + "'; " +
                   (names.empty() ? "the index has none" : "the index has " + names));
}
inline std::size_t find_column(const Snapshot& snapshot, std::string_view name) {
  return find_column(columns_of(snapshot.settings().schema), name);
}

}  // namespace warpdex
