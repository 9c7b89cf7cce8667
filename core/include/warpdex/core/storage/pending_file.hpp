// A file that is written beside its target and takes its name when it is whole. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace warpdex {

/// What to do where `code`, a value of errno, kept a file from being written: for the end of a
/// message.
std::string write_advice(int code);

/// Owns a descriptor and, until commit(), the temporary file. Its name is the target's, with
/// ".warpdex-" and the process's id behind it, and a number where several are written at once; one
/// that an earlier process of this id left is replaced. A target that exists and is not a regular
/// file (a device, a pipe) is written to directly; so is one that names an open descriptor, as
/// /dev/stdout and /dev/fd/N do, from where that stands: a file behind it is not replaced.
class PendingFile {
 public:
  /// Throws IoError if nothing can be written there, also where the target is a file in which this
  /// process may not write; UsageError for a file that would lie in the folder of an index.
  explicit PendingFile(const std::filesystem::path& target);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  /// Removes the temporary file, if it has not taken the target's name.
  ~PendingFile();

  /// Writes all bytes where the last append() ended. Throws IoError.
  void append(const void* bytes, std::size_t size);
  /// Writes all bytes at an offset; not to pipes and open descriptors. Throws IoError.
  void write_at(std::uint64_t offset, const void* bytes, std::size_t size);
  /// The next append() writes there; not for pipes and open descriptors. Throws IoError.
  void seek(std::uint64_t offset);
  /// Takes room on the disk for the file up to `size` bytes, where the file system can do that.
  /// Throws IoError if there is not so much.
  void reserve(std::uint64_t size);
  /// Waits for the disk. Throws IoError.
  void write_through();
  /// Waits for the disk, and gives the file its name. Throws IoError. Once, at the end.
  void commit();

  /// The target, links resolved.
  const std::filesystem::path& target() const { return target_; }
  /// The file that is written; empty where the target is written to directly.
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Throws the IoError of errno's value `error`.
  [[noreturn]] void fail(int error) const;

 private:
  void open_beside();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool is_stream_ = false;  ///< of an open descriptor, which others may write to
};

}  // namespace warpdex
