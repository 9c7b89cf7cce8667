// A file mapped read-only into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpdex {

/// Owns one read-only mapping; empty files map to an empty span. Move-only.
class MappedFile {
 public:
  /// Maps nothing.
  MappedFile() = default;
  /// Maps the whole of an open file; the descriptor stays the caller's, and may be closed. `name`
  /// is for messages. Throws IoError if it is not a regular file or cannot be mapped.
  MappedFile(int descriptor, const std::string& name);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// The file's bytes; valid while the mapping lives, wherever it is moved.
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  /// In bytes, when it was mapped.
  std::size_t size() const { return size_; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpdex
