// Checks the columns of a segment. Internal.
#pragma once

#include <span>

#include "warpdex/indexer/columns/column_view.hpp"

namespace warpdex {

/// Throws FormatError where a column contradicts itself. O(values).
void check_columns(std::span<const ColumnView> columns);

}  // namespace warpdex
