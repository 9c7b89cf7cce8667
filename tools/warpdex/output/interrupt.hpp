// SIGINT, SIGTERM and SIGHUP as a flag, so that a job can clean up before it ends.
#pragma once

#include <array>
#include <csignal>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

/// A job that a signal ended.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal) : Error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// While it lives, those signals only set a flag, and writing to a closed pipe is an error and not
/// a death; then all is as before. One at a time: signals belong to the process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Throws Interrupted if a signal came. From any thread.
  static void check();

  /// The signal that came, or 0.
  static int signal();

 private:
  static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace warpdex::tools
