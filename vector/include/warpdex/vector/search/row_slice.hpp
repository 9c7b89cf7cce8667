// Neighbouring rows of an index as a searcher takes them, so that several searchers can share the
// rows of one index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/codings/searched_vectors.hpp"

namespace warpdex::vector {

/// Rows [first, first + count) of an index. Row 0 of the slice is row `first` of the index. Lists
/// stay what they are, with fewer rows; centroids, codebooks and the rotation are the index's.
class RowSlice {
 public:
  /// What `all` refers to must outlive it. Copies the vectors (codes, and what lies beside them) of
  /// an inverted file, and binary codes, unless these are all rows; of a flat index it copies
  /// nothing. O(bytes copied + lists * log rows). Throws UsageError for rows past the last.
  RowSlice(const SearchedVectors& all, std::size_t first, std::size_t count);
  RowSlice(const RowSlice&) = delete;
  RowSlice& operator=(const RowSlice&) = delete;

  const SearchedVectors& vectors() const { return vectors_; }

 private:
  void cut(const FlatVectors& all, std::size_t first, std::size_t count);
  void cut(const Lists<RowCoding>& all, std::size_t first, std::size_t count);
  void cut(const BinaryVectors& all, std::size_t first, std::size_t count);
  template <class Coding>
  void cut(const Lists<Coding>& all, std::size_t first, std::size_t count);
  void copy_codes(const CodeLists& all, std::size_t code_bytes);
  /// Of numbers that lie in the order of lists, those of the slice; none where there are none.
  std::vector<float> copy_floats(std::span<const float> all) const;
  void find_rows(std::span<const std::uint32_t> row_numbers, std::span<const std::uint64_t> begins,
                 std::size_t first, std::size_t count);

  SearchedVectors vectors_;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> sources_;  ///< where each list's rows lie in the index, while cutting
  std::vector<std::uint32_t> row_numbers_;
  std::vector<std::uint8_t> bytes_;  ///< vectors or codes
  std::vector<float> floats_;        ///< norms or terms
  std::vector<float> factors_;       ///< of binary codes in lists
  std::vector<std::uint64_t> group_begins_;
};

}  // namespace warpdex::vector
