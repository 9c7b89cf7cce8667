// Maps files with mmap.
#include "warpdex/core/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {

std::string errno_message(int code) { return std::generic_category().message(code); }

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw IoError("cannot open '" + path.string() + "': " + errno_message(errno));
  }
  struct stat status {};
  void* mapping = MAP_FAILED;
  int failure = 0;
  if (::fstat(descriptor, &status) != 0) {
    failure = errno;
  } else if (!S_ISREG(status.st_mode)) {
    failure = EINVAL;
  } else if (status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    mapping = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) failure = errno;
  }
  ::close(descriptor);
  if (failure != 0) {
    throw IoError("cannot map '" + path.string() + "': " + errno_message(failure));
  }
  if (size_ > 0) data_ = static_cast<const std::uint8_t*>(mapping);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace warpdex
