// Copies and counts the bits of removed rows.
#include "warpdex/core/storage/removed_rows.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

std::uint64_t count_removed(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

RemovedRowsBuilder::RemovedRowsBuilder(std::uint64_t rows, RemovedRows so_far)
    : rows_(rows), count_(count_removed(so_far.words())), words_(removed_words(rows)) {
  std::copy_n(so_far.words().begin(), std::min(so_far.words().size(), words_.size()),
              words_.begin());
}

bool RemovedRowsBuilder::add(std::uint64_t row) {
  if (row >= rows_) {
    throw UsageError("there is no row " + std::to_string(row) + " in a segment of " +
                     std::to_string(rows_));
  }
  if (contains(row)) return false;
  words_[row / 64] |= std::uint64_t{1} << row % 64;
  ++count_;
  return true;
}

}  // namespace warpdex
