// The index that a rewriting reads, and checks of it and the target.
#pragma once

#include <filesystem>
#include <functional>

#include "warpdex/indexer/format/index.hpp"

namespace warpdex::rewrite {

/// Throws UsageError if `output` is empty or lies in the index at `input` (which may itself be the
/// output), IoError if there is no index at `input`.
void check_places(const std::filesystem::path& input, const std::filesystem::path& output);

/// Opens the index once the target is locked by a writer. If the two are one place, it must be the
/// index that `opened_before` was, whose settings the writer has; IoError if a build replaced it
/// meanwhile.
Index open_again(const Index& opened_before, const std::filesystem::path& output);

/// Checks the checksum of every section, since what is written from damaged bytes would look whole
/// again. O(index). `progress` is called with the share done. Throws FormatError.
void check_sections(const Index& index, const std::function<void(double)>& progress);

}  // namespace warpdex::rewrite
