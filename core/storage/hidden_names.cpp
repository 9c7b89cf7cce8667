// Makes and recognises the hidden names.
#include "storage/hidden_names.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <random>
#include <string>

#include "storage/fail.hpp"
#include "storage/folder_entries.hpp"
#include "warpdex/core/storage/manifest.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::size_t kRandomLetters = 6;
constexpr std::string_view kAside = "-old";

std::string prefix_of(const fs::path& target) {
  return "." + target.filename().string() + ".building-";
}

/// Not a link to one.
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

/// Lets the owner write in all folders in `folder`, as far as the system lets us do that.
void open_folders(const fs::path& folder) {
  constexpr auto kAdd = fs::perm_options::add;
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, kAdd, ignored);
  std::error_code unread;
  for (const fs::path& entry : entries_of(folder, unread)) {
    if (is_folder(entry)) fs::permissions(entry, fs::perms::owner_all, kAdd, ignored);
  }
}

bool are_letters(std::string_view text) {
  return text.find_first_not_of(kLetters) == std::string_view::npos;
}

}  // namespace

fs::path lock_file_of(const fs::path& target) {
  return target.parent_path() / (prefix_of(target) + "lock");
}

fs::path create_hidden_folder(const fs::path& target) {
  std::random_device random;
  for (;;) {
    std::string name = prefix_of(target);
    for (std::size_t i = 0; i < kRandomLetters; ++i) name += kLetters[random() % kLetters.size()];
    fs::path folder = target.parent_path() / name;
    if (::mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) fail("create", folder, errno, "choose an output where you may write");
  }
}

fs::path aside_of(const fs::path& hidden_folder) {
  return hidden_folder.string() + std::string(kAside);
}

HiddenFolders find_hidden_folders(const fs::path& target) {
  HiddenFolders found;
  const std::string prefix = prefix_of(target);
  std::error_code unread;
  for (const fs::path& entry : entries_of(target.parent_path(), unread)) {
    const std::string name = entry.filename();
    if (!name.starts_with(prefix)) continue;
    if (!is_folder(entry)) continue;
    std::string_view rest = std::string_view(name).substr(prefix.size());
    const bool is_aside = rest.ends_with(kAside);
    if (is_aside) rest.remove_suffix(kAside.size());
    if (rest.size() != kRandomLetters || !are_letters(rest)) continue;
    (is_aside ? found.aside : found.building).push_back(entry);
  }
  return found;
}

std::error_code remove_hidden_folder(const fs::path& folder) noexcept {
  try {
    const auto remove = [&] {
      remove_tree(folder / kManifestName);
      return remove_tree(folder);
    };
    const std::error_code error = remove();
    if (error != std::errc::permission_denied) return error;
    open_folders(folder);
    return remove();
  } catch (const std::exception&) {
    return std::make_error_code(std::errc::not_enough_memory);
  }
}

std::string words_for_stuck_folder(const fs::path& folder, const std::error_code& reason) {
  return "cannot remove '" + folder.string() + "': " + errno_message(reason.value()) +
         "; it is of no use any more: 'warpdex verify --repair' or its owner can remove it";
}

bool is_missing(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
}

}  // namespace warpdex
