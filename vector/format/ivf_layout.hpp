// From rows in their order to an inverted file: centroids are trained, rows assigned to lists, and
// written list after list.
#pragma once

#include <filesystem>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex::vector {

/// Rows as RowWriter wrote them, mapped.
struct WrittenRows {
  /// Throws FormatError, IoError.
  WrittenRows(const std::filesystem::path& folder, const std::vector<SectionInfo>& sections,
              const VectorIndexSettings& settings, std::size_t count);

  SectionView vectors_section;
  SectionView norms_section;
  SectionView centre_section;
  FlatVectors flat;
};

/// How many lists rows get where nobody says: about 4 times the root of their number, and no fewer
/// than 32 rows a list.
std::size_t default_lists(std::size_t rows);

/// Writes all sections of an inverted file of `settings.ivf.lists` lists into `folder`. Memory: the
/// sample that centroids are trained on, 8 bytes a row. Throws IoError, and what `progress` throws.
std::vector<SectionInfo> write_ivf(const WrittenRows& rows, const VectorIndexSettings& settings,
                                   const std::filesystem::path& folder,
                                   const BuildProgress& progress);

}  // namespace warpdex::vector
