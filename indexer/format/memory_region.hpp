// Memory taken from the system and given back to it as a whole, so that what the build counts is
// what the process holds: no allocator keeps freed pieces.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::build {

/// A contiguous run of bytes that can grow. Pages cost memory once they were written to. Move-only.
class MemoryRegion {
 public:
  MemoryRegion() = default;
  /// `size` zero bytes; throws std::bad_alloc.
  explicit MemoryRegion(std::size_t size);
  MemoryRegion(MemoryRegion&& other) noexcept;
  MemoryRegion& operator=(MemoryRegion&& other) noexcept;
  ~MemoryRegion();

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Makes the region at least `size` bytes long; its bytes stay but may move, new ones are zero.
  /// Throws std::bad_alloc, and then has changed nothing.
  void grow(std::size_t size);

  /// Sets all bytes to zero and gives their memory back; the size stays.
  void clear();

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpdex::build
