// Documents in the order of their values in columns.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/columns/sort_values.hpp"
#include "warpdex/query/shown_field.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// An order of the documents of a commit, which outlives it. Any thread.
class ColumnOrder {
 public:
  /// Throws UsageError for a column that the index has not, and for more than kMaxSortKeys. Of
  /// several segments, O(distinct keywords).
  ColumnOrder(const Snapshot& snapshot, std::span<const SortKey> keys);

  /// A document's place in one column.
  struct Code {
    bool is_missing = false;
    std::uint64_t code = 0;
    std::strong_ordering operator<=>(const Code&) const = default;
  };
  /// Its place in the order; the same for documents with the same values.
  using Codes = std::array<Code, kMaxSortKeys>;
  Codes codes(std::uint32_t document) const;
  /// The place of values that no document of the commit need have. O(segments log distinct
  /// keywords).
  Codes codes_of(const SortValues& values) const;
  /// What a document is sorted by. Throws FormatError.
  SortValues values(std::uint32_t document) const;

  /// The first documents of a set.
  struct First {
    std::vector<std::uint32_t> documents{};  ///< in order
    /// As far in the order as the last of those that were wanted: they share the rest of the
    /// places.
    std::vector<std::uint32_t> ties{};
  };
  /// The first k of `among`, or, with `behind`, of those of larger codes: the documents before
  /// those that tie for the last places, and these. O(documents of `among`).
  First first(std::size_t k, const vector::RowFilter& among,
              const std::optional<Codes>& behind) const;
  /// The documents of `among` with just these codes.
  std::vector<std::uint32_t> equal(const Codes& codes, const vector::RowFilter& among) const;

 private:
  /// A column in one segment.
  struct Column {
    const ColumnView* view = nullptr;
    std::vector<std::uint64_t> ranks{};  ///< of keywords, by ordinal, in all segments; empty: alone
  };
  struct Key {
    bool descending = false;
    /// Those have odd codes: words that no document has are between them.
    bool is_keyword = false;
    std::vector<Column> columns{};  ///< by segment
  };

  std::optional<std::uint64_t> value(const Key& key, std::size_t segment,
                                     std::uint32_t document) const;
  Code code(const Key& key, std::size_t segment, std::uint32_t document) const;
  std::uint64_t code_of_word(const Key& key, std::string_view word) const;
  Codes codes_in(std::size_t segment, std::uint32_t document) const;
  template <class Visit>
  void for_each(const vector::RowFilter& among, const Visit& visit) const;

  const Snapshot& snapshot_;
  std::vector<Key> keys_;
};

}  // namespace warpdex
