// Long work on a thread of its own, while the calling thread looks for signals.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "support.hpp"

namespace warpdex::python {

/// How often a call that waits looks for signals.
inline constexpr std::chrono::milliseconds kSignalInterval{50};

class Worker {
 public:
  /// `work` runs without the GIL.
  explicit Worker(std::function<void()> work) : work_(std::move(work)) {}

  /// Starts the work, calls `beside`, and waits for the work, calling `tick` some times a second.
  /// Both are called with the GIL. What they throw, or a signal raises, is thrown once the work has
  /// ended, which `stop` asks it to do. Otherwise throws what the work threw.
  void run(const std::function<void()>& beside, const std::function<void()>& tick,
           const std::function<void()>& stop);

 private:
  /// Waits without the GIL, up to `limit`. Returns whether the work has ended.
  bool has_ended_within(std::chrono::milliseconds limit);

  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace warpdex::python
