// The manifest of an index of vectors, from its folder.
#pragma once

#include <filesystem>

#include "format/manifest.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex::vector {

/// Throws as manifest_from_json() does, and IoError where there is none.
Manifest read_manifest(const Folder& folder);
/// Likewise; the caller holds the folder's lock.
Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace warpdex::vector
