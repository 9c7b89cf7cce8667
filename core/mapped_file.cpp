// Maps files with mmap.
#include "warpdex/core/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {

std::string errno_message(int code) { return std::generic_category().message(code); }

MappedFile::MappedFile(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    throw IoError("cannot read '" + name + "': " + errno_message(errno));
  }
  if (!S_ISREG(status.st_mode)) throw IoError("cannot read '" + name + "': it is not a file");
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapping == MAP_FAILED) {
    throw IoError("cannot map '" + name + "' into memory: " + errno_message(errno));
  }
  data_ = static_cast<const std::uint8_t*>(mapping);
  size_ = size;
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
