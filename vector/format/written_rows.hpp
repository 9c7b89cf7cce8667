// Rows that RowWriter wrote, mapped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

struct WrittenRows {
  /// `sections` are what RowWriter::finish() returned; `centre` is what it was given, if it was,
  /// and must outlive this. Throws FormatError, IoError.
  WrittenRows(const std::filesystem::path& folder, const std::vector<SectionInfo>& sections,
              const VectorIndexSettings& settings, std::size_t count,
              std::span<const float> centre = {});

  SectionView vectors_section;
  SectionView norms_section;
  SectionView centre_section;
  FlatVectors flat;
};

}  // namespace warpdex::vector
