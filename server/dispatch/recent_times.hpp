// The 99th percentile of the times of the last searches.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace warpdex::server {

/// Any thread. Times fall into classes, of which each is an eighth of a power of two wide, and
/// which are emptied in turn: two halves of a window of kWindow.
class RecentTimes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kWindow{4};

  void add(Clock::time_point now, std::chrono::microseconds time);
  /// Rounded up to a class's end; 0 where there were no searches lately.
  std::chrono::microseconds p99(Clock::time_point now);

 private:
  static constexpr std::size_t kClasses = 8 * 32;
  using Classes = std::array<std::atomic<std::uint32_t>, kClasses>;

  static std::size_t class_of(std::uint64_t micros);
  static std::uint64_t end_of(std::size_t number);
  void turn(Clock::time_point now);

  std::array<Classes, 2> halves_{};
  std::atomic<std::int64_t> half_ = 0;       ///< number of the half that is filled now
  std::atomic<std::int64_t> next_look_ = 0;  ///< when the p99 is computed again, in µs
  std::atomic<std::uint64_t> p99_ = 0;
  std::mutex turning_;
};

}  // namespace warpdex::server
