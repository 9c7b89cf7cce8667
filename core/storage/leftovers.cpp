// Puts back a target that was moved aside, and removes what killed builds left.
#include "warpdex/core/storage/leftovers.hpp"

#include <algorithm>
#include <cstdio>

#include "storage/flush.hpp"
#include "storage/hidden_names.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/core/storage/target_lock.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// Whether a folder that was set aside is whole: its manifest is the first to be removed.
bool is_whole(const fs::path& folder) { return !is_missing(folder / kManifestName); }

void remove(const fs::path& folder, Leftovers& leftovers) {
  if (const std::error_code error = remove_hidden_folder(folder)) {
    leftovers.problems.push_back(words_for_stuck_folder(folder, error));
  } else {
    ++leftovers.removed;
  }
}

}  // namespace

Leftovers clear_leftovers(const fs::path& target) {
  Leftovers leftovers;
  HiddenFolders found = find_hidden_folders(target);
  const auto old = std::find_if(found.aside.begin(), found.aside.end(), is_whole);
  if (is_missing(target) && old != found.aside.end()) {
    std::error_code error;
    fs::rename(*old, target, error);
    leftovers.put_back = !error;
    if (error) {
      leftovers.problems.push_back("cannot rename '" + old->string() + "' to '" + target.string() +
                                   "': " + error.message());
    }
    found.aside.erase(old);
  }
  if (found.building.empty() && found.aside.empty()) return leftovers;
  // One may be what the target was before. It goes once the disk has what took its place.
  if (const int code = try_flush(target.parent_path())) {
    leftovers.problems.push_back("leftovers beside '" + target.string() + "' stay: cannot flush '" +
                                 target.parent_path().string() + "': " + errno_message(code));
    return leftovers;
  }
  for (const fs::path& folder : found.building) remove(folder, leftovers);
  for (const fs::path& folder : found.aside) remove(folder, leftovers);
  return leftovers;
}

Leftovers repair_target(const fs::path& path) {
  const fs::path target = resolve_target(path);
  if (is_missing(target.parent_path())) return {};
  const TargetLock lock(target, LockUse::kChange);
  return clear_leftovers(target);
}

std::size_t count_leftovers(const fs::path& path) {
  const fs::path target = resolve_target(path);
  const HiddenFolders found = find_hidden_folders(target);
  const std::size_t folders = found.building.size() + found.aside.size();
  return folders == 0 || is_locked(target) ? 0 : folders;
}

bool is_out_of_place(const fs::path& path) {
  try {
    const HiddenFolders found = find_hidden_folders(resolve_target(path));
    return std::any_of(found.aside.begin(), found.aside.end(), is_whole);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace warpdex
