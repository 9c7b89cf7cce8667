// Which documents of a segment have a value among some, as bits. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/indexer/columns/column_view.hpp"

namespace warpdex {

/// Keys of a column from first to last.
struct KeyRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Bit d mod 64 of word d / 64 is set where document d has a value in one of the ranges, which
/// ascend and do not meet. O(values). Throws FormatError for damaged begins.
std::vector<std::uint64_t> match_keys(const ColumnView& column,
                                      const std::vector<KeyRange>& ranges);

/// The same of documents with any value.
std::vector<std::uint64_t> match_present(const ColumnView& column);

}  // namespace warpdex
