// Writes beside the target, locks what it writes, and swaps the two in one step.
#include "warpdex/core/storage/replacement_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
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

/// Flushes a folder's entries; returns errno, or 0.
int try_sync(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return code;
}

void sync(const fs::path& path) {
  const int code = try_sync(path);
  // Some file systems cannot flush a folder; that is no reason to fail.
  if (code != 0 && code != EINVAL) fail("flush", path, code);
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
  const int synced = ::fsync(descriptor) == 0 ? 0 : errno;
  const int closed = ::close(descriptor) == 0 ? 0 : errno;
  if (synced != 0 || closed != 0) fail("write", path, synced != 0 ? synced : closed);
}

bool has_signature(const fs::path& file, std::string_view signature) {
  std::ifstream stream(file, std::ios::binary);
  std::string start(4096, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start.find(signature) != std::string::npos;
}

/// Like the folders that others create: what mkdtemp made private becomes as open as the umask
/// says.
void open_to_umask(const fs::path& folder) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(folder.c_str(), 0777 & ~mask);
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

ReplacementFolder::ReplacementFolder(const fs::path& target, std::string_view marker,
                                     std::string_view signature)
    : target_(resolve(target)), marker_(marker), signature_(signature) {
  check_target();
  std::error_code error;
  fs::create_directories(target_.parent_path(), error);
  if (error) fail("create", target_.parent_path(), error.value());
  remove_abandoned();
  std::string pattern = (target_.parent_path() / (prefix_of(target_) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw IoError("cannot create a folder beside '" + target_.string() +
                  "': " + errno_message(errno) + "; choose an output where you may write");
  }
  folder_ = pattern;
  lock_ = lock_folder(folder_, O_CREAT);
  if (lock_ < 0) {
    const int code = errno;
    fs::remove_all(folder_, error);
    fail("lock", folder_, code);
  }
}

void ReplacementFolder::check_target() const {
  std::error_code error;
  const auto status = fs::symlink_status(target_, error);
  if (status.type() == fs::file_type::not_found) return;
  const bool is_folder = fs::is_directory(status);
  if (is_folder && fs::is_empty(target_, error)) return;
  if (is_folder && has_signature(target_ / marker_, signature_)) return;
  throw UsageError("'" + target_.string() +
                   "' exists and is not an index; remove it or choose another output");
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
  check_target();
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
  write_file(folder_ / marker_, marker_content);
  open_to_umask(folder_);
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (entry.is_directory(error)) sync(entry.path());
  }
  sync(folder_);
  if (fs::symlink_status(target_, error).type() == fs::file_type::not_found) {
    if (::rename(folder_.c_str(), target_.c_str()) != 0) fail("rename to", target_, errno);
    folder_.clear();
  } else if (::renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) ==
             0) {
    // The old index, now in the hidden folder, gets a lock: should this process die before it is
    // removed, the next build sees that its lock is free.
    const int old_lock = lock_folder(folder_, O_CREAT);
    if (old_lock >= 0) ::close(old_lock);
  } else {
    step_aside();
  }
  fs::remove(target_ / kLockName, error);
  // From here on the new index is in place: nothing may fail any more.
  if (!folder_.empty()) fs::remove_all(std::exchange(folder_, {}), error);
  try_sync(target_.parent_path());
}

/// For a file system without exchange: the old index steps aside first.
void ReplacementFolder::step_aside() {
  const fs::path aside = folder_.string() + "-old";
  if (::rename(target_.c_str(), aside.c_str()) != 0) fail("rename", target_, errno);
  if (::rename(folder_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    ::rename(aside.c_str(), target_.c_str());
    fail("rename to", target_, code);
  }
  folder_ = aside;
}

}  // namespace warpdex
