#include "columns/value_counts.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// Packed values of so many are counted by a table.
constexpr std::uint64_t kMaxTable = std::uint64_t{1} << 22;

}  // namespace

std::size_t ValueCounts::table_size(const ColumnView& column) {
  const ColumnHeader& header = column.header();
  const std::uint64_t most = header.width >= 22 ? kMaxTable + 1 : std::uint64_t{1} << header.width;
  const std::uint64_t distinct =
      column.field().type == FieldType::kKeyword ? header.distinct : most;
  if (distinct > kMaxTable || distinct > 64 + 4 * header.values) return 0;
  return std::max<std::uint64_t>(distinct, 1);
}

}  // namespace warpdex
