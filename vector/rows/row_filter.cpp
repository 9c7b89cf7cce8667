// Sets of rows.
#include "warpdex/vector/rows/row_filter.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

RowFilter RowFilter::of_rows(std::span<const std::uint32_t> listed, std::size_t rows) {
  RowFilter filter(rows);
  for (const std::uint32_t row : listed) {
    if (row >= rows) {
      throw UsageError("the filter has row " + std::to_string(row) + ", the index has " +
                       std::to_string(rows) + " rows, counted from 0");
    }
    filter.add(row);
  }
  return filter;
}

RowFilter RowFilter::of_bits(std::span<const std::uint64_t> words, std::size_t rows) {
  RowFilter filter(rows);
  if (words.size() != filter.words_.size()) {
    throw UsageError("a filter of " + std::to_string(rows) + " rows has " +
                     std::to_string(filter.words_.size()) + " words of 64 bits, this one has " +
                     std::to_string(words.size()));
  }
  std::copy(words.begin(), words.end(), filter.words_.begin());
  if (rows % 64 != 0) filter.words_.back() &= (std::uint64_t{1} << (rows % 64)) - 1;
  return filter;
}

RowFilter RowFilter::slice(std::size_t first, std::size_t count) const {
  if (first > rows_ || count > rows_ - first) {
    throw UsageError("there are no rows from " + std::to_string(first) + " to " +
                     std::to_string(first + count) + " in a filter of " + std::to_string(rows_));
  }
  RowFilter part(count);
  const std::size_t shift = first % 64;
  for (std::size_t i = 0; i < part.words_.size(); ++i) {
    const std::size_t word = first / 64 + i;
    part.words_[i] = words_[word] >> shift;
    if (shift > 0 && word + 1 < words_.size()) part.words_[i] |= words_[word + 1] << (64 - shift);
  }
  if (count % 64 != 0) part.words_.back() &= (std::uint64_t{1} << (count % 64)) - 1;
  return part;
}

std::size_t RowFilter::count() const {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

std::size_t RowFilter::next(std::size_t row, std::uint64_t passed_over) const {
  if (row >= rows_) return rows_;
  std::size_t word = row / 64;
  std::uint64_t bits = (words_[word] ^ passed_over) & (~std::uint64_t{0} << (row % 64));
  while (bits == 0) {
    if (++word == words_.size()) return rows_;
    bits = words_[word] ^ passed_over;
  }
  return std::min(rows_, word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace warpdex::vector
