// The index that a rewriting reads, and checks of it and the target.
#pragma once

#include <filesystem>

#include "warpdex/indexer/format/index.hpp"

namespace warpdex::rewrite {

/// Throws UsageError if `output` is empty or lies in the index at `input` (which may itself be the
/// output), IoError if there is no index at `input`.
void check_places(const std::filesystem::path& input, const std::filesystem::path& output);

/// Opens the index once the target is locked by a writer. If the two are one place, it must be the
/// index that `opened_before` was, whose settings the writer has; IoError if a build replaced it
/// meanwhile.
Index open_again(const Index& opened_before, const std::filesystem::path& output);

}  // namespace warpdex::rewrite
