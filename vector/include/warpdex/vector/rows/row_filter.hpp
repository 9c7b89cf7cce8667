// The rows that a search may answer with.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpdex::vector {

/// A set of rows, one bit each. O(rows / 8) bytes.
class RowFilter {
 public:
  /// No row of `rows`.
  explicit RowFilter(std::size_t rows) : rows_(rows), words_((rows + 63) / 64) {}

  /// The rows listed, in any order, any of them more than once. Throws UsageError for one that is
  /// not below `rows`.
  static RowFilter of_rows(std::span<const std::uint32_t> listed, std::size_t rows);
  /// Row r if bit r % 64 of word r / 64 is set. Throws UsageError unless there are (rows + 63) / 64
  /// words.
  static RowFilter of_bits(std::span<const std::uint64_t> words, std::size_t rows);

  /// The rows [first, first + count), counted from 0. O(count / 64). Throws UsageError for rows
  /// past the last.
  RowFilter slice(std::size_t first, std::size_t count) const;

  /// How many rows there are, allowed or not.
  std::size_t rows() const { return rows_; }
  /// How many are allowed. O(rows / 64).
  std::size_t count() const;
  bool contains(std::size_t row) const { return (words_[row / 64] >> (row % 64) & 1) != 0; }
  void add(std::size_t row) { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  std::span<const std::uint64_t> words() const { return words_; }

  /// The first row from `row` on that is allowed, or rows().
  std::size_t next_allowed(std::size_t row) const { return next(row, 0); }
  /// The first row from `row` on that is not allowed, or rows().
  std::size_t next_refused(std::size_t row) const { return next(row, ~std::uint64_t{0}); }

 private:
  /// The first row from `row` on whose bit differs from those of `passed_over`.
  std::size_t next(std::size_t row, std::uint64_t passed_over) const;

  std::size_t rows_;
  std::vector<std::uint64_t> words_;
};

}  // namespace warpdex::vector
