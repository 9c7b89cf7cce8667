// Waits until a file, or a folder's entries, are on the disk. Internal.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "storage/fail.hpp"

namespace warpdex {

/// Returns why it could not, a value of errno, or 0. Some file systems cannot flush a folder; that
/// is no reason to fail, and 0.
inline int try_flush(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  return code;
}

/// Throws IoError where it could not.
inline void flush_path(const std::filesystem::path& path) {
  if (const int code = try_flush(path)) fail("flush", path, code);
}

}  // namespace warpdex
