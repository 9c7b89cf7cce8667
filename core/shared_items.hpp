// What the threads of one parallel_for() share. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace warpdex {

/// Items that are handed out in order; the first failure stops them.
class SharedItems {
 public:
  using Work = std::function<void(std::size_t thread, std::size_t item)>;

  /// `work` must outlive it.
  SharedItems(std::size_t count, const Work& work) : count_(count), work_(work) {}

  /// Does items until there are no more. Each thread calls it, with its number.
  void run(std::size_t thread) {
    try {
      for (std::size_t item = next_++; item < count_; item = next_++) work_(thread, item);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// When all threads are done.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  const Work& work_;
  std::atomic<std::size_t> next_{0};
  std::exception_ptr failure_;
  std::mutex failure_mutex_;
};

}  // namespace warpdex
