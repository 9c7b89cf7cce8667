// Which rows (documents, vectors) of a segment were removed: a bit set, the first section of the
// segment's packed file of removals.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpdex {

/// The section's name: u64*(rows + 63)/64, bit r % 64 of word r / 64 is set where row r was
/// removed; bits past the last row are 0.
inline constexpr std::string_view kRemovedRows = "removed_rows";

/// Words of the bit set of so many rows.
inline constexpr std::uint64_t removed_words(std::uint64_t rows) { return (rows + 63) / 64; }

/// A view of the bit set, or of none, where nothing was removed. Copied around freely.
class RemovedRows {
 public:
  /// Nothing was removed.
  RemovedRows() = default;
  /// `words` live as long as it.
  explicit RemovedRows(std::span<const std::uint64_t> words) : words_(words) {}

  bool none() const { return words_.empty(); }
  /// `row` is below the number of rows.
  bool contains(std::uint64_t row) const {
    return !words_.empty() && (words_[row / 64] >> row % 64 & 1) != 0;
  }
  /// Empty where nothing was removed.
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::span<const std::uint64_t> words_;
};

/// The bits of `words` that are set. O(words).
std::uint64_t count_removed(std::span<const std::uint64_t> words);

/// A bit set that grows: a copy of what was removed so far, to which a commit adds rows.
class RemovedRowsBuilder {
 public:
  RemovedRowsBuilder(std::uint64_t rows, RemovedRows so_far);

  /// False, and nothing is done, if the row was removed already. UsageError past the last row.
  bool add(std::uint64_t row);
  bool contains(std::uint64_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }
  std::uint64_t count() const { return count_; }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::uint64_t rows_;
  std::uint64_t count_;
  std::vector<std::uint64_t> words_;
};

}  // namespace warpdex
