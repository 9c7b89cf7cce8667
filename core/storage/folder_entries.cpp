// By the calls of POSIX.
#include "storage/folder_entries.hpp"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace warpdex {
namespace {

namespace fs = std::filesystem;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::error_code last_error() { return {errno, std::generic_category()}; }

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  error.clear();
  const std::unique_ptr<DIR, CloseFolder> opened(::opendir(folder.c_str()));
  if (!opened) {
    error = last_error();
    return entries;
  }
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back(folder / name);
  }
  if (errno != 0) error = last_error();
  return entries;
}

std::error_code remove_tree(const fs::path& path) {
  std::error_code first;
  const auto keep_first = [&](const std::error_code& error) {
    if (!first) first = error;
  };
  const fs::file_status status = fs::symlink_status(path, first);
  if (status.type() == fs::file_type::not_found) return {};
  if (first) return first;
  if (!fs::is_directory(status)) {
    return ::unlink(path.c_str()) == 0 || errno == ENOENT ? std::error_code() : last_error();
  }
  for (const fs::path& entry : entries_of(path, first)) keep_first(remove_tree(entry));
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) keep_first(last_error());
  return first;
}

}  // namespace warpdex
