// What a folder holds, and its end. Where there is no memory, std::filesystem ends the process when
// it reads a folder; these throw or return. Internal.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace warpdex {

/// The paths of a folder's entries in any order; as many as were read until `error` came. Throws
/// std::bad_alloc.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error);

/// Removes a file, or a folder with all in it; what is not there is removed. Returns the first
/// reason why something stays. Throws std::bad_alloc.
std::error_code remove_tree(const std::filesystem::path& path);

}  // namespace warpdex
