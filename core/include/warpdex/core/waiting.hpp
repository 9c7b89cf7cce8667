// Waiting for what another thread or a GPU does: awake for a while, then in short naps.
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

/// Lets the processor know that its thread waits.
inline void pause_thread() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Asks `is_done` again and again, for `limit` at most; says what it said last.
template <typename IsDone>
bool spin_until(IsDone is_done, std::chrono::microseconds limit) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLooks = 16;  // between two looks at the clock
  if (is_done()) return true;
  const Clock::time_point end = Clock::now() + limit;
  do {
    for (int look = 0; look < kLooks; ++look) {
      if (is_done()) return true;
      pause_thread();
    }
  } while (Clock::now() < end);
  return is_done();
}

/// While it lives, the thread's naps are as short as asked for, and not 50 us longer.
class ExactNaps {
 public:
#if defined(__linux__)
  ExactNaps() : usual_(::prctl(PR_GET_TIMERSLACK)) { ::prctl(PR_SET_TIMERSLACK, 1UL); }
  ~ExactNaps() {
    if (usual_ > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(usual_));
  }
#else
  ExactNaps() = default;
#endif
  ExactNaps(const ExactNaps&) = delete;
  ExactNaps& operator=(const ExactNaps&) = delete;

 private:
  [[maybe_unused]] int usual_ = 0;  ///< nanoseconds
};

/// Returns once `is_done` says so. Asks it without a pause for as long as `spin`, then between
/// naps, each a small part of the time that has passed: so what is done is seen a few percent late
/// at most, by a thread that takes little of its processor.
template <typename IsDone>
void wait_until(IsDone is_done, std::chrono::microseconds spin) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  constexpr nanoseconds kShortest{5'000};
  constexpr nanoseconds kLongest{50'000};
  constexpr int kPart = 32;
  const Clock::time_point start = Clock::now();
  if (spin_until(is_done, spin)) return;
  const ExactNaps exact;
  while (!is_done()) {
    const nanoseconds passed = Clock::now() - start;
    std::this_thread::sleep_for(std::clamp(passed / kPart, kShortest, kLongest));
  }
}

}  // namespace warpdex
