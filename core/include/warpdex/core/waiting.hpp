// Waits for another thread or for the GPU: spins for a while, then sleeps for short times.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpdex {

/// Tells the processor that its thread is spinning.
inline void pause_thread() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Calls `is_done` again and again, for `limit` at most. Returns its last result.
template <typename IsDone>
bool spin_until(IsDone is_done, std::chrono::microseconds limit) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 16;  // calls between two looks at the clock
  if (is_done()) return true;
  const Clock::time_point end = Clock::now() + limit;
  do {
    for (int look = 0; look < kCalls; ++look) {
      if (is_done()) return true;
      pause_thread();
    }
  } while (Clock::now() < end);
  return is_done();
}

/// Returns true when now(), in microseconds, has reached `moment`. Sleeps while more than 2 ms are
/// left, then spins. Asks goes_on() before each sleep, ten times a second or more, and returns
/// false once that does.
template <typename Now, typename GoesOn>
bool wait_for_moment(Now now, double moment, GoesOn goes_on) {
  constexpr double kTimeToSleep = 2'000;
  constexpr double kWakeEarly = 1'000;
  constexpr double kLongestSleep = 100'000;
  for (double time = now(); time < moment; time = now()) {
    if (moment - time > kTimeToSleep) {
      if (!goes_on()) return false;
      std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(
          std::min(moment - time - kWakeEarly, kLongestSleep)));
    } else {
      pause_thread();
    }
  }
  return true;
}

/// While it lives, the thread sleeps exactly as long as asked, not up to 50 us longer.
class ExactSleep {
 public:
#if defined(__linux__)
  ExactSleep() : usual_(::prctl(PR_GET_TIMERSLACK)) { ::prctl(PR_SET_TIMERSLACK, 1UL); }
  ~ExactSleep() {
    if (usual_ > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(usual_));
  }
#else
  ExactSleep() = default;
#endif
  ExactSleep(const ExactSleep&) = delete;
  ExactSleep& operator=(const ExactSleep&) = delete;

 private:
  [[maybe_unused]] int usual_ = 0;  ///< nanoseconds
};

/// Returns when `is_done` is true. Calls it without a pause for `spin`, then after sleeps that are
/// each a small part of the time that has passed. So the thread returns at most a few percent late
/// and uses little of its processor.
template <typename IsDone>
void wait_until(IsDone is_done, std::chrono::microseconds spin) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  constexpr nanoseconds kShortest{5'000};
  constexpr nanoseconds kLongest{50'000};
  constexpr int kPart = 32;
  const Clock::time_point start = Clock::now();
  if (spin_until(is_done, spin)) return;
  const ExactSleep exact;
  while (!is_done()) {
    const nanoseconds passed = Clock::now() - start;
    std::this_thread::sleep_for(std::clamp(passed / kPart, kShortest, kLongest));
  }
}

}  // namespace warpdex
