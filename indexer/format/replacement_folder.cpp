#include "warpdex/indexer/format/replacement_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "lock";

[[noreturn]] void fail(const std::string& action, const fs::path& path, int code) {
  throw IoError("cannot " + action + " '" + path.string() + "': " + errno_message(code));
}

/// The lock of a folder that a living build holds, or -1 with errno.
int lock_folder(const fs::path& folder, int extra_flags) {
  const int descriptor =
      ::open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | extra_flags, 0666);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int code = errno;
  ::close(descriptor);
  errno = code;
  return -1;
}

void sync(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open", path, errno);
  const int status = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  // Some file systems cannot flush a folder; that is no reason to fail.
  if (status != 0 && code != EINVAL) fail("flush", path, code);
}

void write_file(const fs::path& path, const std::string& content) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("create", path, errno);
  std::span<const char> left(content);
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      ::close(descriptor);
      fail("write", path, code);
    }
    left = left.subspan(static_cast<std::size_t>(written));
  }
  if (::fsync(descriptor) != 0 || ::close(descriptor) != 0) fail("write", path, errno);
}

fs::path without_trailing_slash(const fs::path& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

fs::path resolve(const fs::path& path) {
  const fs::path full = without_trailing_slash(path);
  std::error_code error;
  const fs::path real = fs::canonical(full, error);
  return error ? full : real;
}

std::string prefix_of(const fs::path& target) {
  return "." + target.filename().string() + ".building-";
}

}  // namespace

ReplacementFolder::ReplacementFolder(const fs::path& target, std::string_view marker)
    : target_(resolve(target)), marker_(marker) {
  std::error_code error;
  if (fs::exists(target_, error)) {
    const bool is_folder = fs::is_directory(target_, error);
    if (!is_folder || (!fs::is_empty(target_, error) && !fs::exists(target_ / marker_, error))) {
      throw UsageError("'" + target.string() +
                       "' exists and is not an index; remove it or choose another output");
    }
  }
  fs::create_directories(target_.parent_path(), error);
  if (error) fail("create", target_.parent_path(), error.value());
  remove_abandoned();
  std::string pattern = (target_.parent_path() / (prefix_of(target_) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("create a folder beside", target_, errno);
  folder_ = pattern;
  lock_ = lock_folder(folder_, O_CREAT);
  fs::permissions(folder_, fs::perms::all & ~(fs::perms::group_write | fs::perms::others_write),
                  error);
}

ReplacementFolder::~ReplacementFolder() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void ReplacementFolder::remove_abandoned() const {
  std::error_code error;
  const std::string prefix = prefix_of(target_);
  std::vector<fs::path> abandoned;
  for (const auto& entry : fs::directory_iterator(target_.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(prefix)) abandoned.push_back(entry.path());
  }
  for (const fs::path& folder : abandoned) {
    const int lock = lock_folder(folder, 0);
    if (lock < 0) continue;  // a living build's, or not one of ours
    fs::remove_all(folder, error);
    ::close(lock);
  }
}

fs::path ReplacementFolder::subfolder(const std::string& name) const {
  std::error_code error;
  fs::create_directory(folder_ / name, error);
  if (error) fail("create", folder_ / name, error.value());
  return folder_ / name;
}

void ReplacementFolder::commit(const std::string& marker_content,
                               const std::vector<fs::path>& leftovers) {
  std::error_code error;
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
  write_file(folder_ / marker_, marker_content);
  fs::remove(folder_ / kLockName, error);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.is_directory()) sync(entry.path());
  }
  sync(folder_);
  if (!fs::exists(target_, error)) {
    if (::rename(folder_.c_str(), target_.c_str()) != 0) fail("rename to", target_, errno);
    folder_.clear();
  } else if (::renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) !=
             0) {
    // A file system without exchange: the old index steps aside first.
    const fs::path aside = folder_.string() + "-old";
    if (::rename(target_.c_str(), aside.c_str()) != 0) fail("rename", target_, errno);
    if (::rename(folder_.c_str(), target_.c_str()) != 0) {
      const int code = errno;
      ::rename(aside.c_str(), target_.c_str());
      fail("rename to", target_, code);
    }
    folder_ = aside;
  }
  sync(target_.parent_path());
  if (!folder_.empty()) fs::remove_all(std::exchange(folder_, {}), error);
}

}  // namespace warpdex
