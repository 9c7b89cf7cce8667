// Copies of an index for backups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "catalog/served_index.hpp"

namespace warpdex::server {

struct Snapshotted {
  std::string name;  ///< of the folder: "articles-12" of commit 12
  std::uint64_t commit = 0;
};

/// Copies the last commit of an index into a folder of `place`, which is made if need be. On one
/// disk the files are links, which take no room; on another they are copied. Files of an index
/// never change, so the copy stays as it is. Changes that are not committed are not in it. Throws
/// HttpError (409) where there is a copy of that commit already, and IoError.
Snapshotted copy_by_links(const ServedIndex& index, const std::filesystem::path& place);

}  // namespace warpdex::server
