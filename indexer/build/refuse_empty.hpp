// Keeps an empty input from replacing an index.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warpdex::build {

/// Throws InputError if there are no documents and there is an index at `output`: a failed pipe or
/// wrong fields must not replace it by an empty one. If there is no index, an empty input makes an
/// empty one.
void refuse_empty(std::uint64_t documents, const std::filesystem::path& output);

}  // namespace warpdex::build
