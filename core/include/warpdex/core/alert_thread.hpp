// A thread that takes short work at once while it is awake.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

namespace warpdex {

/// To wake a thread takes some 50 microseconds, longer than the work of a single query. So this one
/// stays awake, spinning, for a while after it was last used; work that comes later is its
/// caller's. Used by one thread at a time.
class AlertThread {
 public:
  /// `awake`: for how long after it was last used.
  explicit AlertThread(std::chrono::microseconds awake = std::chrono::microseconds(200));
  ~AlertThread();
  AlertThread(const AlertThread&) = delete;
  AlertThread& operator=(const AlertThread&) = delete;

  /// Starts `work` and returns true if the thread is awake. Else wakes it, for the next call, and
  /// returns false: nothing was started. What was started before must have ended by wait().
  bool start(std::function<void()> work);
  /// Returns when the work that was started is done. Throws what it threw.
  void wait();

 private:
  enum class State { kAsleep, kAwake, kWork, kDone, kEnd };
  void run();
  bool rest();

  const std::chrono::microseconds awake_;
  std::atomic<State> state_ = State::kAsleep;
  std::function<void()> work_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace warpdex
