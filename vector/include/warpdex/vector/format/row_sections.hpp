// Vectors as sections of a segment that holds other data too: `vectors`, `norms` and `centre`, as
// in an index of vectors. docs/vector.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex::vector {

/// Writes them. Holds up to 16 MiB of rows.
class RowSections {
 public:
  /// The next sections of `files`, which must outlive it; their names begin with `prefix`. Throws
  /// UsageError for a dimension out of range, IoError.
  RowSections(SegmentFiles& files, const RowSettings& settings, std::string_view prefix = "");
  ~RowSections();

  /// The next row. For kCosine it is scaled to length 1. Throws UsageError for another dimension;
  /// InputError for what is not finite or too large for a half where halves are stored; IoError.
  void add(std::span<const float> row);
  /// Likewise of rows that were stored with the same settings, to the bit.
  void copy(const VectorView& from, std::size_t row);
  /// Writes what is left. SegmentFiles finishes the sections. Once. Throws IoError.
  void finish();

  std::size_t rows() const;
  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The vectors of a segment with so many rows. Throws FormatError where sections are missing or of
/// another size.
FlatVectors open_row_sections(const SegmentView& segment, const RowSettings& settings,
                              std::size_t rows);

/// Checks that components are finite and norms are those of their rows. Throws FormatError.
/// O(components).
void check_row_sections(const FlatVectors& vectors);

}  // namespace warpdex::vector
