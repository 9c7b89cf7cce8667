// Lets one allocation or system call of this process fail, to see what is left then.
#pragma once

#include <cstdint>

namespace warpdex::test {

enum class Fault {
  kAllocation,  ///< operator new throws std::bad_alloc
  kSystemCall,  ///< a call that files and folders are made, read, written and removed by
};

/// From construction to destruction, the n-th call of that kind fails, or all from the n-th on, in
/// any thread, counted from 1. System calls fail with EIO, ENOSPC, EMFILE, ENOMEM or EACCES in
/// turn, by n. One at a time.
class FaultInjection {
 public:
  FaultInjection(Fault kind, std::uint64_t nth, bool lasts = false);
  ~FaultInjection();
  FaultInjection(const FaultInjection&) = delete;
  FaultInjection& operator=(const FaultInjection&) = delete;

  /// Whether the call came.
  bool has_failed() const;
  /// How many calls of that kind came so far.
  std::uint64_t calls() const;
  /// The system call that failed; "" where none did.
  const char* failed_call() const;

 private:
  std::uint64_t nth_;
};

/// While it lives nothing fails or counts: for what the test itself does in between.
class FaultPause {
 public:
  FaultPause();
  ~FaultPause();
  FaultPause(const FaultPause&) = delete;
  FaultPause& operator=(const FaultPause&) = delete;

 private:
  bool was_armed_;
};

}  // namespace warpdex::test
