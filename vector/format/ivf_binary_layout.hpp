// From rows in their order to lists of binary codes.
#pragma once

#include <filesystem>
#include <vector>

#include "format/written_rows.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// Trains lists and a quantizer, and writes the sections of both and of the codes into `folder`.
/// Throws IoError, CudaError, and what listeners throw.
std::vector<SectionInfo> write_ivf_binary(const WrittenRows& rows,
                                          const VectorIndexSettings& settings,
                                          const std::filesystem::path& folder,
                                          const BuildProgress& progress, const BuildDevice& device);

/// The sections codes, terms and factors, of rows that are in lists, by a quantizer that is known.
/// Its centre is not looked at. Throws likewise.
void write_list_codes(const FlatVectors& rows, const IvfLists& lists, BinaryQuantizer quantizer,
                      std::size_t threads, const std::filesystem::path& folder, BuildSteps& steps,
                      std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
