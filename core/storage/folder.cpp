// Opens by openat, from the folder's own descriptor.
#include "warpdex/core/storage/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "storage/fail.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

namespace fs = std::filesystem;

namespace {

std::string advice_to_read(int code) {
  return code == EACCES || code == EPERM ? "check its permissions and those of its folders" : "";
}

}  // namespace

std::optional<Folder> Folder::find(const fs::path& path) {
  return find_in(AT_FDCWD, path.string(), path);
}

std::optional<Folder> Folder::subfolder(const std::string& name) const {
  return find_in(descriptor_, name, path_ / name);
}

std::optional<Folder> Folder::find_in(int folder, const std::string& name, const fs::path& path) {
  const int descriptor = ::openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) return Folder(descriptor, path);
  if (errno == ENOENT) return std::nullopt;
  if (errno == ENOTDIR) throw IoError("'" + path.string() + "' is not a folder");
  fail("open", path, errno, advice_to_read(errno));
}

Folder::Folder(int descriptor, fs::path path) : descriptor_(descriptor), path_(std::move(path)) {}

Folder::Folder(Folder&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

Folder::~Folder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<MappedFile> Folder::map(std::string_view name) const {
  const fs::path path = path_ / name;
  // Not blocking: a pipe in the place of a file is refused, not waited for.
  const int descriptor =
      ::openat(descriptor_, std::string(name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) fail("read", path, errno, advice_to_read(errno));
  try {
    MappedFile file(descriptor, path.string());
    ::close(descriptor);
    return file;
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

bool Folder::is_at(const fs::path& path) const {
  struct stat own {};
  struct stat there {};
  return ::fstat(descriptor_, &own) == 0 && ::stat(path.c_str(), &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

bool Folder::is_removed() const {
  struct stat own {};
  return ::fstat(descriptor_, &own) == 0 && own.st_nlink == 0;
}

}  // namespace warpdex
