// Writes the segment of vectors that are added to an index.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "format/row_writer.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// Nothing is trained: rows go to the lists of the index's centroids, and are encoded by its
/// codebooks or its quantizer.
class AddedSegment {
 public:
  /// `index` and `folder`, which is to replace it, must outlive this. Throws IoError.
  AddedSegment(const VectorIndex& index, ReplacementFolder& folder, std::uint64_t number);

  /// As VectorIndexWriter::add().
  void add(std::span<const float> rows) { rows_.add(rows); }
  std::size_t rows() const { return rows_.rows(); }

  /// Writes what is left; `ids` are one a row, or none. Once, at the end. Throws what `progress`
  /// throws, IoError.
  SegmentInfo finish(const VectorIds& ids, const BuildProgress& progress);

 private:
  void write_codes(const BuildProgress& progress);

  const VectorIndex& index_;
  std::uint64_t number_;
  std::filesystem::path folder_;
  std::filesystem::path rows_folder_;  ///< scratch where rows are only needed until lists are made
  RowWriter rows_;
  std::vector<SectionInfo> sections_;
};

}  // namespace warpdex::vector
