// Opens a stored folder that a build may replace at any moment.
#pragma once

#include <filesystem>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex {

/// The folder at `path`; waits for a moment where a build has it out of its place. Throws IoError
/// if there is none.
Folder find_stored(const std::filesystem::path& path);

/// The manifest in a stored folder. Throws IoError if there is none.
MappedFile map_manifest(const Folder& folder);

/// Calls `open` with the folder at `path`, and again if it throws and a build replaced that folder
/// meanwhile: what was open then is being removed.
template <class Open>
auto open_stored(const std::filesystem::path& path, const Open& open) {
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    const Folder folder = find_stored(path);
    try {
      return open(folder);
    } catch (const Error&) {
      if (attempt == kAttempts || folder.is_at(path)) throw;
    }
  }
}

}  // namespace warpdex
