// A file that is read by offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpdex::vector {

/// Owns a descriptor. Move-only.
class DataFile {
 public:
  /// Opens a regular file for reading. Throws IoError.
  explicit DataFile(std::string name);
  DataFile(DataFile&& other) noexcept;
  DataFile& operator=(DataFile&& other) noexcept;
  ~DataFile();

  const std::string& name() const { return name_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  /// Reads all of `bytes` bytes from `offset` on. Throws IoError, also where the file ends before.
  void read(std::uint64_t offset, std::size_t bytes, void* out) const;

  /// Tells the system that reading goes on in order, so that it reads ahead.
  void expect_sequence() const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace warpdex::vector
