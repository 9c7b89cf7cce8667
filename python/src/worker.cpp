#include "worker.hpp"

namespace warpdex::python {

void Worker::run(const std::function<void()>& beside, const std::function<void()>& tick,
                 const std::function<void()>& stop) {
  std::thread thread([this] {
    try {
      work_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  });
  std::exception_ptr stopped;
  try {
    beside();
    while (!has_ended_within(kSignalInterval)) {
      tick();
      check_signals();
    }
  } catch (...) {
    stopped = std::current_exception();
    stop();
    while (!has_ended_within(std::chrono::hours(1))) continue;
  }
  thread.join();
  if (stopped) std::rethrow_exception(stopped);
  if (failure_) std::rethrow_exception(failure_);
}

bool Worker::has_ended_within(std::chrono::milliseconds limit) {
  const nb::gil_scoped_release no_gil;
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, limit, [this] { return has_ended_; });
}

}  // namespace warpdex::python
