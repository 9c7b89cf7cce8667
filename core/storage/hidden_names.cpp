// Makes and recognises the hidden names.
#include "storage/hidden_names.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>

#include "storage/fail.hpp"

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
    const fs::path folder = target.parent_path() / name;
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
  std::error_code error;
  for (fs::directory_iterator entry(target.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(prefix)) continue;
    std::error_code ignored;
    if (entry->is_symlink(ignored) || !entry->is_directory(ignored)) continue;
    std::string_view rest = std::string_view(name).substr(prefix.size());
    const bool is_aside = rest.ends_with(kAside);
    if (is_aside) rest.remove_suffix(kAside.size());
    if (rest.size() != kRandomLetters || !are_letters(rest)) continue;
    (is_aside ? found.aside : found.building).push_back(entry->path());
  }
  return found;
}

bool is_missing(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
}

}  // namespace warpdex
