// How often each value of a column occurs among some documents of a segment. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpdex/indexer/columns/column_view.hpp"
#include "warpdex/query/columns/facet_parts.hpp"

namespace warpdex {

/// Counts packed values: in a table where a column has few, else in a map.
class ValueCounts {
 public:
  /// Keeps a reference.
  explicit ValueCounts(const ColumnView& column) : column_(&column), table_(table_size(column)) {}

  /// Entries of the table; 0: values are counted in a map.
  static std::size_t table_size(const ColumnView& column);

  void add(std::uint64_t document) {
    const ColumnView::Slots slots = column_->slots(document);
    if (slots.size() == 0) return;
    ++documents_;
    std::uint64_t before = 0;
    for (std::uint64_t slot = slots.begin; slot < slots.end; ++slot) {
      const std::uint64_t packed = column_->packed(slot);
      KeyCount& count = count_of(packed);
      ++count.values;
      count.documents += slot == slots.begin || packed != before ? 1 : 0;
      before = packed;
    }
  }

  /// Of a column in which each document has one value.
  void add_one(std::uint64_t document) {
    ++documents_;
    KeyCount& count = count_of(column_->packed(document));
    ++count.values;
    ++count.documents;
  }

  /// What was counted elsewhere, which must outlive it: `documents` that have a value; by entry of
  /// the table, which there must be, the documents and the values.
  ValueCounts(const ColumnView& column, std::uint64_t documents,
              std::span<const std::uint32_t> of_documents, std::span<const std::uint32_t> of_values)
      : column_(&column),
        of_documents_(of_documents),
        of_values_(of_values),
        documents_(documents) {}

  const ColumnView& column() const { return *column_; }
  std::uint64_t documents() const { return documents_; }
  /// Calls visit(key, count) for each key that documents have.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto key = [&](std::uint64_t packed) {
      return column_->header().base + column_->header().step * packed;
    };
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_[i].values > 0) visit(key(i), table_[i]);
    }
    for (const auto& [packed, count] : map_) visit(key(packed), count);
    for (std::size_t i = 0; i < of_values_.size(); ++i) {
      if (of_values_[i] > 0) visit(key(i), KeyCount{of_documents_[i], of_values_[i]});
    }
  }

 private:
  KeyCount& count_of(std::uint64_t packed) {
    return packed < table_.size() ? table_[packed] : map_[packed];
  }

  const ColumnView* column_;
  std::vector<KeyCount> table_;
  std::unordered_map<std::uint64_t, KeyCount> map_;
  std::span<const std::uint32_t> of_documents_;
  std::span<const std::uint32_t> of_values_;
  std::uint64_t documents_ = 0;
};

}  // namespace warpdex
