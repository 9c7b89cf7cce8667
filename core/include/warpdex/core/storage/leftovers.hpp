// What builds that died left beside a target.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warpdex {

/// What was found beside a target, and what became of it.
struct Leftovers {
  bool put_back = false;              ///< the target was missing, and is again what it was
  std::size_t removed = 0;            ///< folders
  std::vector<std::string> problems;  ///< a sentence for each that stays, with the reason
};

/// Puts the target back if a build died while it had it out of its place, and removes all else that
/// builds left. `target` is resolved, and the caller holds its TargetLock.
Leftovers clear_leftovers(const std::filesystem::path& target);

/// Likewise for any path, under the lock. Throws IoError: a build is under way, or nothing can be
/// written beside the target.
Leftovers repair_target(const std::filesystem::path& path);

/// How many folders killed builds have left beside the path's target. 0 while a build of it is
/// under way, whose folders these may be.
std::size_t count_leftovers(const std::filesystem::path& path);

/// Whether a target that is missing has been moved aside. If the build that moved it lives, it puts
/// the new index there at once; if it died, clear_leftovers() puts the target back.
bool is_out_of_place(const std::filesystem::path& path);

}  // namespace warpdex
