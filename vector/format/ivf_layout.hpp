// From rows in their order to an inverted file of whole vectors, list after list.
#pragma once

#include <filesystem>
#include <vector>

#include "format/written_rows.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex::vector {

/// Writes all sections of an inverted file of `settings.ivf.lists` lists into `folder`. Memory: the
/// sample that centroids are trained on, 8 bytes a row. Throws IoError, CudaError,
/// and what listeners throw.
std::vector<SectionInfo> write_ivf(const WrittenRows& rows, const VectorIndexSettings& settings,
                                   const std::filesystem::path& folder,
                                   const BuildProgress& progress, const BuildDevice& device);

}  // namespace warpdex::vector
