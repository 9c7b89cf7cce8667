// The lock of a target: one build, or one repair, at a time. Internal.
#pragma once

#include <filesystem>

namespace warpdex {

/// Holds the file lock_file_of(target), which lies beside the target, until it goes; then the file
/// goes too. The system frees the lock of a process that dies; the file then stays, and the next
/// lock takes it over.
class TargetLock {
 public:
  /// `target` as resolve_target() gives it. Throws IoError: another holds the lock (the message
  /// names its process), or the file cannot be written.
  explicit TargetLock(const std::filesystem::path& target);
  ~TargetLock();
  TargetLock(const TargetLock&) = delete;
  TargetLock& operator=(const TargetLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace warpdex
