#include "warpdex/core/storage/pending_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "storage/fail.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_descriptor.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex {
namespace {

constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;

/// Removes the file, which a dead process left; false if someone writes it, who then has it locked.
bool remove_leftover(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  struct stat locked {};
  struct stat named {};
  // Its writer may have given it its name, and another made a new one, before it was locked.
  if (is_free && ::fstat(descriptor, &locked) == 0 && ::stat(file.c_str(), &named) == 0 &&
      locked.st_ino == named.st_ino) {
    is_free = ::unlink(file.c_str()) == 0;
  }
  ::close(descriptor);
  return is_free;
}

/// Locks a file that was just made, against being taken for one that a dead process left. False if
/// it was, before the lock was there.
bool claim(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

}  // namespace

std::string write_advice(int code) {
  if (is_lack_of_room(code)) return "make room there, or name another target";
  switch (code) {
    case ENOENT: return "make the folder first, or name another target";
    case EPIPE: return "what reads it has ended";
    default: return "name another target";
  }
}

PendingFile::PendingFile(const std::filesystem::path& target) {
  if (const auto descriptor = open_descriptor_of(target)) {
    target_ = target;
    is_stream_ = true;
    // Of another process only the file can be had; what is there must stay there, too.
    descriptor_ = descriptor->is_own
                      ? ::fcntl(descriptor->number, F_DUPFD_CLOEXEC, 0)
                      : ::open(target.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  std::error_code ignored;
  // A link to a file stays a link.
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(target, ignored);
  target_ = resolved.empty() ? target : resolved;
  const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
  if (std::filesystem::is_directory(status)) {
    throw IoError("cannot write " + target.string() + ": it is a folder; name a file");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = ::open(target_.c_str(), kFlags, 0666);
    if (descriptor_ < 0) fail(errno);
  } else {
    check_outside_of_indexes(target_);
    // The folder around it may let this process replace a file in which it may not write.
    if (std::filesystem::exists(status) &&
        ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
      fail(errno);
    }
    open_beside();
  }
}

void PendingFile::open_beside() {
  const std::string beside = target_.string() + ".warpdex-" + std::to_string(::getpid());
  for (int number = 0;;) {
    // Another writer of this process may have the first name.
    const std::string name = number == 0 ? beside : beside + "-" + std::to_string(number);
    descriptor_ = ::open(name.c_str(), kFlags | O_EXCL, 0666);
    if (descriptor_ < 0) {
      if (errno != EEXIST) fail(errno);
      if (!remove_leftover(name)) ++number;
      continue;
    }
    if (claim(descriptor_)) {
      temporary_ = name;
      return;
    }
    ::close(std::exchange(descriptor_, -1));
  }
}

PendingFile::~PendingFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PendingFile::fail(int error) const {
  throw IoError("cannot write " + target_.string() + ": " + errno_message(error) + "; " +
                write_advice(error));
}

void PendingFile::append(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, from, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

void PendingFile::write_at(std::uint64_t offset, const void* bytes, std::size_t size) {
  if (is_stream_) fail(ESPIPE);
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, from, size, static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

void PendingFile::seek(std::uint64_t offset) {
  if (is_stream_) fail(ESPIPE);
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) fail(errno);
}

void PendingFile::reserve(std::uint64_t size) {
  if (temporary_.empty() || size == 0) return;
#if defined(__linux__)
  // Its size stays what was written; a file system that cannot reserve says so.
  while (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0) {
    if (is_lack_of_room(errno)) fail(errno);
    if (errno != EINTR) return;
  }
#endif
}

void PendingFile::write_through() {
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
}

void PendingFile::commit() {
  write_through();
  const int lock = ::dup(descriptor_);  // until it has its name, nobody may take it for a leftover
  int error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (error == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    error = errno;
  }
  if (lock >= 0) ::close(lock);
  if (error != 0) fail(error);
  temporary_.clear();
}

}  // namespace warpdex
