// Idle threads. A few of them, the lookouts, stay awake for work; the others sleep until they are
// woken. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "warpdex/core/waiting.hpp"

namespace warpdex {

/// No job is missed: a thread that stops being a lookout counts itself as asleep before it looks
/// for work a last time, and a thread that brings work looks for lookouts afterwards. The thread
/// that has slept least is woken first, since its caches are the warmest. While too many threads
/// are awake, none is woken, and the surplus ones rest, even if there is work.
class IdleThreads {
 public:
  IdleThreads(std::size_t threads, std::size_t max_lookouts)
      : max_lookouts_(max_lookouts), max_awake_(threads), sleeping_(threads) {
    asleep_.reserve(threads);
  }

  bool has_lookout() const { return lookouts_.load(std::memory_order_seq_cst) > 0; }

  /// Wakes a sleeping thread, unless there is a lookout or none sleeps.
  void bring_work() {
    if (!has_lookout()) wake_one();
  }

  /// Returns when `has_work` is true, or the thread was woken. `thread` is its number. A lookout
  /// first sleeps for `nap`, then spins for `spin` at most, while `may_spin` is true. If there are
  /// already `max_lookouts`, the thread spins only as long as it would take to wake it, or not at
  /// all if there is a nap. Returns true if it found work as a lookout. Then it still counts as one
  /// and must call end_lookout() when it will not look for further work soon.
  template <typename HasWork, typename MaySpin>
  bool wait(std::size_t thread, HasWork has_work, MaySpin may_spin, std::chrono::microseconds spin,
            std::chrono::microseconds nap) {
    const bool is_one_of_few = idle_.fetch_add(1, std::memory_order_relaxed) < max_lookouts_;
    const bool naps = nap.count() > 0;
    bool found = false;
    if (is_one_of_few ? naps || may_spin() : !naps && may_spin()) {
      start_lookout();
      if (naps) std::this_thread::sleep_for(nap);
      spin_until([&] { return (found = has_work()) || !may_spin(); },
                 is_one_of_few ? spin : std::min(spin, kTimeToWake));
      if (!found) end_lookout();
    }
    idle_.fetch_sub(1, std::memory_order_relaxed);
    if (!found) sleep(thread, has_work);
    return found;
  }

  void set_max_awake(std::size_t threads) { max_awake_.store(threads, std::memory_order_relaxed); }
  bool are_too_many_awake() const { return awake() > max_awake_.load(std::memory_order_relaxed); }
  bool are_as_many_awake_as_may_be() const { return !may_wake(); }
  /// Sleeps until it is woken, if still too many threads are awake. The thread must not count as a
  /// lookout.
  void rest(std::size_t thread) {
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_ || !are_too_many_awake()) return;
      lie_down(thread);
    }
    sleeping_[thread].called.acquire();
  }

  /// At the end: wakes all threads. From now on none rests.
  void wake_all() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    while (wake_one()) {
    }
  }

  /// Counts a thread that is busy, but soon back, as a lookout.
  void start_lookout() { lookouts_.fetch_add(1, std::memory_order_seq_cst); }
  void end_lookout() { lookouts_.fetch_sub(1, std::memory_order_seq_cst); }
  /// Threads that sleep and were not yet woken.
  std::size_t sleepers() const { return sleepers_.load(std::memory_order_seq_cst); }

  /// Wakes a sleeping thread if more may be awake. Returns whether it did.
  bool wake_one() {
    if (sleepers() == 0 || !may_wake()) return false;
    std::size_t thread = 0;
    {
      const std::lock_guard lock(mutex_);
      if (asleep_.empty() || !may_wake()) return false;
      thread = asleep_.back();
      asleep_.pop_back();
      sleepers_.store(asleep_.size(), std::memory_order_seq_cst);
    }
    sleeping_[thread].called.release();
    return true;
  }

 private:
  static constexpr std::chrono::microseconds kTimeToWake{50};

  std::size_t awake() const { return sleeping_.size() - sleepers(); }
  bool may_wake() const {
    return is_ending_ || awake() < max_awake_.load(std::memory_order_relaxed);
  }

  /// The caller holds the lock.
  void lie_down(std::size_t thread) {
    asleep_.push_back(thread);
    sleepers_.store(asleep_.size(), std::memory_order_seq_cst);
  }

  template <typename HasWork>
  void sleep(std::size_t thread, HasWork has_work) {
    {
      const std::lock_guard lock(mutex_);
      lie_down(thread);
    }
    if (has_work() && leave(thread)) return;
    sleeping_[thread].called.acquire();
  }

  /// Removes a thread from the list of sleepers. False if it was not there, since it was woken.
  bool leave(std::size_t thread) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(asleep_.begin(), asleep_.end(), thread);
    if (found == asleep_.end()) return false;
    asleep_.erase(found);
    sleepers_.store(asleep_.size(), std::memory_order_seq_cst);
    return true;
  }

  struct Sleeper {
    std::binary_semaphore called{0};
  };

  const std::size_t max_lookouts_;
  alignas(64) std::atomic<std::size_t> lookouts_ = 0;
  std::atomic<std::size_t> idle_ = 0;      ///< threads in wait() that do not sleep
  std::atomic<std::size_t> sleepers_ = 0;  ///< size of `asleep_`
  std::atomic<std::size_t> max_awake_;
  std::atomic<bool> is_ending_ = false;
  std::mutex mutex_;                 ///< protects `asleep_`
  std::vector<std::size_t> asleep_;  ///< threads; the one that has slept longest is first
  std::vector<Sleeper> sleeping_;    ///< by thread
};

}  // namespace warpdex
