#include "dispatch/recent_times.hpp"

#include <algorithm>
#include <bit>

namespace warpdex::server {
namespace {

constexpr std::int64_t kBetweenLooksMicros = 50'000;

std::int64_t micros_of(RecentTimes::Clock::time_point now) {
  return std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
}

std::int64_t half_of(RecentTimes::Clock::time_point now) {
  constexpr std::int64_t kHalf =
      std::chrono::duration_cast<std::chrono::microseconds>(RecentTimes::kWindow).count() / 2;
  return micros_of(now) / kHalf;
}

}  // namespace

std::size_t RecentTimes::class_of(std::uint64_t micros) {
  if (micros < 8) return static_cast<std::size_t>(micros);
  const auto power = static_cast<std::size_t>(std::bit_width(micros)) - 1;  // 3 or more
  const std::size_t eighth = (micros >> (power - 3)) & 7;
  return std::min(kClasses - 1, (power - 2) * 8 + eighth);
}

std::uint64_t RecentTimes::end_of(std::size_t number) {
  if (number < 8) return number + 1;
  const std::size_t power = number / 8 + 2;
  return ((8 + number % 8 + 1) << (power - 3));
}

void RecentTimes::turn(Clock::time_point now) {
  const std::int64_t half = half_of(now);
  if (half == half_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(turning_);
  const std::int64_t before = half_.load(std::memory_order_relaxed);
  if (half <= before) return;
  const auto empty = [this](std::int64_t which) {
    for (auto& count : halves_[static_cast<std::size_t>(which & 1)]) count = 0;
  };
  empty(half);
  if (half > before + 1) empty(half + 1);
  half_.store(half, std::memory_order_release);
}

void RecentTimes::add(Clock::time_point now, std::chrono::microseconds time) {
  turn(now);
  const auto half = static_cast<std::size_t>(half_.load(std::memory_order_acquire) & 1);
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()));
  halves_[half][class_of(micros)].fetch_add(1, std::memory_order_relaxed);
}

std::chrono::microseconds RecentTimes::p99(Clock::time_point now) {
  turn(now);
  const std::int64_t at = micros_of(now);
  std::int64_t look = next_look_.load(std::memory_order_relaxed);
  if (at >= look && next_look_.compare_exchange_strong(look, at + kBetweenLooksMicros)) {
    std::uint64_t all = 0;
    const auto count_of = [this](std::size_t i) {
      return std::uint64_t{halves_[0][i].load(std::memory_order_relaxed)} +
             halves_[1][i].load(std::memory_order_relaxed);
    };
    for (std::size_t i = 0; i < kClasses; ++i) all += count_of(i);
    std::uint64_t above = all / 100;  // so many may be larger
    std::size_t number = kClasses;
    while (number > 0 && all > 0) {
      const std::uint64_t count = count_of(number - 1);
      if (count > above) break;
      above -= count;
      --number;
    }
    p99_ = all == 0 || number == 0 ? 0 : end_of(number - 1);
  }
  return std::chrono::microseconds(p99_.load(std::memory_order_relaxed));
}

}  // namespace warpdex::server
