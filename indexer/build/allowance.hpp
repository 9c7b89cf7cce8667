// A bound on the memory that threads hold together.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace warpdex::build {

/// Bytes that groups in the making may hold together.
class Allowance {
 public:
  explicit Allowance(std::uint64_t limit) : limit_(limit) {}

  /// Waits until `bytes` are left, or until nothing is held.
  void acquire(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ == 0 || held_ + bytes <= limit_; });
    held_ += bytes;
  }

  void release(std::uint64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      held_ -= bytes;
    }
    changed_.notify_all();
  }

 private:
  std::uint64_t limit_;
  std::uint64_t held_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Part of an allowance. The destructor gives it back, so that no thread waits forever for one that
/// failed.
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { release(); }

  void acquire(Allowance& from, std::uint64_t bytes) {
    from.acquire(bytes);
    from_ = &from;
    bytes_ = bytes;
  }
  void release() {
    if (from_ != nullptr) std::exchange(from_, nullptr)->release(bytes_);
  }

 private:
  Allowance* from_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpdex::build
