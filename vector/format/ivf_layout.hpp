// From rows in their order to an inverted file of whole vectors, list after list.
#pragma once

#include <filesystem>
#include <vector>

#include "format/written_rows.hpp"
#include "kmeans/update.hpp"
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

/// The sections that lie in the order of lists: vectors and norms. Throws likewise.
void write_in_lists(const WrittenRows& rows, const ClusterMembers& members,
                    const std::filesystem::path& folder, const BuildProgress& progress,
                    std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
