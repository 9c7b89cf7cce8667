// Idle threads: a few look out for work, the others sleep until one of them is woken. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "warpdex/core/waiting.hpp"

namespace warpdex {

/// No job is missed: a thread that gives up its look-out counts itself as asleep before it looks
/// for work a last time, and whoever brings work looks for look-outs after that.
class IdleThreads {
 public:
  explicit IdleThreads(std::size_t max_lookouts) : max_lookouts_(max_lookouts) {}

  bool has_lookout() const { return lookouts_.load(std::memory_order_seq_cst) > 0; }

  /// Wakes a thread that sleeps, unless one looks out or none sleeps.
  void bring_work() {
    if (has_lookout()) return;
    if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_one();
  }

  /// Returns when `has_work` is true, or the thread was woken. A thread that looks out naps, if it
  /// is to, then spins for `spin` at most, while `may_spin` is true.
  template <typename HasWork, typename MaySpin>
  void wait(HasWork has_work, MaySpin may_spin, std::chrono::microseconds spin,
            std::chrono::microseconds nap) {
    const bool is_one_of_few = idle_.fetch_add(1, std::memory_order_relaxed) < max_lookouts_;
    bool found = false;
    if (is_one_of_few && (nap.count() > 0 || may_spin())) {
      start_lookout();
      if (nap.count() > 0) std::this_thread::sleep_for(nap);
      spin_until([&] { return (found = has_work()) || !may_spin(); }, spin);
      end_lookout();
    }
    idle_.fetch_sub(1, std::memory_order_relaxed);
    if (found) return;
    sleep(has_work);
  }

  void wake_all() {
    {
      const std::lock_guard lock(mutex_);
      calls_ += sleepers_.load(std::memory_order_relaxed);
    }
    called_.notify_all();
  }

  /// Counts a thread that does not wait here, but is soon back, as one that looks out.
  void start_lookout() { lookouts_.fetch_add(1, std::memory_order_seq_cst); }
  void end_lookout() { lookouts_.fetch_sub(1, std::memory_order_seq_cst); }
  /// Threads that sleep and were not called. About right: others go and come meanwhile.
  std::size_t sleepers() const {
    const std::size_t called = calls_.load(std::memory_order_relaxed);
    const std::size_t all = sleepers_.load(std::memory_order_relaxed);
    return all > called ? all - called : 0;
  }

  void wake_one() {
    {
      const std::lock_guard lock(mutex_);
      if (calls_ >= sleepers_.load(std::memory_order_relaxed)) return;
      ++calls_;
    }
    called_.notify_one();
  }

 private:
  template <typename HasWork>
  void sleep(HasWork has_work) {
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (!has_work()) {
      called_.wait(lock, [this] { return calls_ > 0; });
      --calls_;
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    if (calls_ > sleepers_.load(std::memory_order_relaxed)) --calls_;
  }

  const std::size_t max_lookouts_;
  alignas(64) std::atomic<std::size_t> lookouts_ = 0;
  std::atomic<std::size_t> idle_ = 0;  ///< of these, the ones that wait here
  std::atomic<std::size_t> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable called_;
  /// Sleepers that were called and have not left; written under mutex_.
  std::atomic<std::size_t> calls_ = 0;
};

}  // namespace warpdex
