// The lists of an inverted file: centroids are trained, rows assigned to them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "format/row_writer.hpp"
#include "format/written_rows.hpp"
#include "kmeans/update.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex::vector {

struct IvfLists {
  Matrix<float> centroids;
  std::vector<std::uint32_t> of_row;  ///< the list of each row
  ClusterMembers members;             ///< the rows of each list
};

/// How many lists rows get where nobody says: about 4 times the root of their number, and no fewer
/// than 32 rows a list.
std::size_t default_lists(std::size_t rows);

/// Trains the centroids of `settings.lists` lists on a sample, and puts each row into the list of
/// the nearest, by squared distance for all metrics. Throws what `progress` throws.
IvfLists make_lists(const WrittenRows& rows, const IvfSettings& settings,
                    const BuildProgress& progress);

/// The sections row_numbers, list_begins, centroids and centroid_norms. Throws IoError.
void write_list_sections(const IvfLists& lists, Metric metric, const std::filesystem::path& folder,
                         std::vector<SectionInfo>& sections);

/// Some rows as floats.
Matrix<float> copy_rows(const VectorView& vectors, std::span<const std::uint64_t> rows);

template <class T>
SectionInfo write_section(const std::filesystem::path& folder, std::string_view name,
                          std::span<const T> values) {
  SectionWriter writer(folder, name);
  append_all(writer, values);
  return writer.finish();
}

}  // namespace warpdex::vector
