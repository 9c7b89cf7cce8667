// The lock of a target: one build, or one repair, at a time. Internal.
#pragma once

#include <filesystem>

namespace warpdex {

/// What the lock is for, which decides what one may do about a folder that cannot be written.
enum class LockUse {
  kOutput,  ///< the target is an output that was named
  kChange,  ///< an index that is there is changed or repaired
};

/// Holds the file lock_file_of(target), which lies beside the target, until it goes; then the file
/// goes too. The system frees the lock of a process that dies; the file then stays, and the next
/// lock takes it over.
class TargetLock {
 public:
  /// `target` as resolve_target() gives it. Throws IoError: another holds the lock (the message
  /// names its process), or the file cannot be written.
  explicit TargetLock(const std::filesystem::path& target, LockUse use = LockUse::kOutput);
  ~TargetLock();
  TargetLock(const TargetLock&) = delete;
  TargetLock& operator=(const TargetLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// Whether another holds the target's lock. Takes the lock for a moment; writes nothing.
bool is_locked(const std::filesystem::path& target);

}  // namespace warpdex
