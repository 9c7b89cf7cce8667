// From rows in their order to binary codes.
#pragma once

#include <filesystem>
#include <vector>

#include "lists/build/steps.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// Trains a quantizer on the rows, and writes the sections of their codes and of what was trained
/// into `folder`. Throws IoError, and what listeners throw.
std::vector<SectionInfo> write_binary(const FlatVectors& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress, const BuildDevice& device);

/// The sections codes and terms, by a quantizer that is known. Throws likewise.
void write_row_codes(const FlatVectors& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                     const std::filesystem::path& folder, BuildSteps& steps,
                     std::vector<SectionInfo>& sections);

/// The sections code_centre, code_scale and rotation. Throws IoError.
void write_binary_quantizer(const BinaryQuantizer& quantizer, const std::filesystem::path& folder,
                            std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
