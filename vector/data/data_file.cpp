#include "data/data_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

DataFile::DataFile(std::string name) : name_(std::move(name)) {
  // A pipe is refused below, and not waited for.
  descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    throw IoError("cannot read '" + name_ + "': " + errno_message(errno) +
                  (name_ == "-" ? "; standard input is not taken here, name a file"
                                : "; check the path and its permissions"));
  }
  struct stat status {};
  std::string reason;
  if (::fstat(descriptor_, &status) != 0) {
    reason = errno_message(errno);
  } else if (!S_ISREG(status.st_mode)) {
    reason = S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file";
  }
  if (!reason.empty()) {
    ::close(descriptor_);
    throw IoError("cannot read '" + name_ + "': " + reason + "; name a file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

DataFile::DataFile(DataFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

DataFile& DataFile::operator=(DataFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

DataFile::~DataFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DataFile::read(std::uint64_t offset, std::size_t bytes, void* out) const {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw IoError("cannot read '" + name_ + "': " + errno_message(errno));
    }
    if (got == 0) {
      throw IoError("'" + name_ +
                    "' became shorter while it was read; try again once nothing writes it");
    }
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void DataFile::expect_sequence() const {
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

}  // namespace warpdex::vector
