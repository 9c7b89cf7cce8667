// From rows in their order to an inverted file of codes.
#pragma once

#include <filesystem>
#include <vector>

#include "format/written_rows.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// Writes the sections of an inverted file of codes into `folder`, all but those that hold vectors
/// and the centre. Memory: the samples that centroids and codebooks are trained on (of residuals up
/// to 256 MiB, with a rotation up to 4 times), 8 bytes a row.
/// Throws IoError, CudaError, and what listeners throw.
std::vector<SectionInfo> write_ivf_pq(const WrittenRows& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress, const BuildDevice& device);

/// The sections codes and terms, of rows whose lists and codebooks are known. Throws likewise.
void write_codes(const FlatVectors& rows, const IvfLists& lists, const ProductQuantizer& quantizer,
                 std::size_t threads, const std::filesystem::path& folder, BuildSteps& steps,
                 std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
