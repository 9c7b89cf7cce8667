// The sections that hold ids.
#pragma once

#include <filesystem>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/data/ids.hpp"

namespace warpdex::vector {

/// The sections of ids, in the order of rows; none where there are no ids. Throws IoError.
void write_ids(const VectorIds& ids, const std::filesystem::path& folder,
               std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
