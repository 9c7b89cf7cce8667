// Lists and codes of vectors that are stored beside other data (row_sections.hpp): more sections of
// the same segment, as an index of vectors has them. docs/vector.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/codings/searched_vectors.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex::vector {

/// What an index of vectors with these settings has. Throws UsageError for a kind that there is
/// not.
VectorIndexSettings index_settings(const RowSettings& settings);

/// Throws UsageError for settings out of range.
void check_row_settings(const RowSettings& settings);

/// Whether the vector is too long for the lists and codes that there are to be: longer than 1e17.
bool is_too_long(std::span<const float> row, const RowSettings& settings);

/// Whether a segment of so many vectors has lists or codes.
inline bool is_indexed(const RowSettings& settings, std::size_t rows) {
  return !settings.index.is_flat() && rows >= kMinIndexedRows;
}

/// Trains lists and codes of the `rows` vectors of a segment whose sections are files in `folder`,
/// writes theirs beside these, and adds them to `sections`. Memory: the samples that they are
/// trained on, 8 bytes a row. `threads` of 0: default_threads(); the bytes do not depend on it.
/// Throws IoError, and what `progress` throws.
void write_row_index(const SectionFolder& folder, const RowSettings& settings, std::size_t rows,
                     std::size_t threads, std::vector<SectionInfo>& sections,
                     const BuildProgress& progress);

/// Lists and codes of a segment, opened.
class RowIndex {
 public:
  /// `rows` are the segment's vectors, which, like `segment`, must outlive it. O(rows). Throws
  /// FormatError where sections are missing, of another size, or do not list each row.
  RowIndex(const SegmentView& segment, const RowSettings& settings, const FlatVectors& rows);
  /// Whether the segment has some.
  static bool is_in(const SegmentView& segment);
  ~RowIndex();
  RowIndex(RowIndex&&) noexcept;
  RowIndex& operator=(RowIndex&&) noexcept;

  /// For searchers; row i is that of `rows`. Valid as long as this.
  const SearchedVectors& vectors() const;
  /// Checks that lists hold each row once, and codes and terms are those of the vectors. Throws
  /// FormatError. Time: about as long as encoding.
  void check() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
