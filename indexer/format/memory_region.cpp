// Memory by mmap, in large pages where the system gives them.
#include "format/memory_region.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

#include "warpdex/core/large_pages.hpp"

namespace warpdex::build {

MemoryRegion::MemoryRegion(std::size_t size) {
  if (size == 0) return;
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  // Postings are appended at random places: large pages save most of the address translation.
  prefer_large_pages(data, size);
  data_ = static_cast<std::uint8_t*>(data);
  size_ = size;
}

MemoryRegion::MemoryRegion(MemoryRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MemoryRegion& MemoryRegion::operator=(MemoryRegion&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MemoryRegion::~MemoryRegion() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MemoryRegion::grow(std::size_t size) {
  if (size <= size_) return;
  if (data_ == nullptr) {
    *this = MemoryRegion(size);
    return;
  }
  void* data = ::mremap(data_, size_, size, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) throw std::bad_alloc();
  prefer_large_pages(data, size);
  data_ = static_cast<std::uint8_t*>(data);
  size_ = size;
}

void MemoryRegion::clear() {
  if (data_ != nullptr) ::madvise(data_, size_, MADV_DONTNEED);  // anonymous pages read as zero
}

}  // namespace warpdex::build
