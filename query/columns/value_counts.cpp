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

void ValueCounts::set(std::uint64_t documents, std::span<const std::uint32_t> of_documents,
                      std::span<const std::uint32_t> of_values) {
  documents_ = documents;
  for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = {of_documents[i], of_values[i]};
}

}  // namespace warpdex
