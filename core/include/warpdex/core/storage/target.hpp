// The folder that a build is to make or to replace: where it is, and whether it may be replaced.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// The target's absolute path, with links followed; it need not exist. Throws UsageError for an
/// empty path and for '/', IoError where the system cannot follow the path.
std::filesystem::path resolve_target(const std::filesystem::path& path);

/// Throws UsageError if `target` (a resolved path) would lie in the folder of an index: that index
/// could not be changed or replaced any more.
void check_outside_of_indexes(const std::filesystem::path& target);

/// Returns if there is nothing at `target` (a resolved path), an empty folder, or an index and
/// nothing else: its manifest, and the sections that this lists. With `kind` (see kind_of()), only
/// an index of that kind will do. Throws UsageError for anything else, with the names of the first
/// files that are not the index's; IoError where something cannot be read.
void check_replaceable(const std::filesystem::path& target,
                       std::optional<std::string_view> kind = std::nullopt);

/// Returns if there is nothing at `target` (a resolved path), or this process may write in that
/// folder and in the folders in it. Throws IoError else: who may not write in an index may not
/// replace it either, although the folder around it is what a replacement changes.
void check_writable(const std::filesystem::path& target);

/// "'a', 'b'": the first few files and folders in the index at `folder` that are not the index's,
/// for which check_replaceable() refuses it; empty if there are none, if there is no index, and if
/// another took its place meanwhile. Throws UsageError where the manifest is damaged, IoError.
std::string foreign_in_index(const std::filesystem::path& folder);

/// The paths, within `folder`, of what lies there and is not of the index that a manifest of this
/// text describes. Throws UsageError where the text is damaged, IoError.
std::vector<std::string> unlisted_in(const std::filesystem::path& folder,
                                     std::string_view manifest);

/// Whether following `path`, which exists, leads into `folder` or to it.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace warpdex
