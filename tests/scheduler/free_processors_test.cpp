// The processors that are left to CPU threads.
#include "run/free_processors.hpp"

#include <gtest/gtest.h>
#include <time.h>

namespace warpdex {
namespace {

constexpr double kSecond = 1e6;  // microseconds

/// Of the calling thread.
double processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void work_for(double seconds) {
  const double until = processor_time() + seconds;
  while (processor_time() < until) {
  }
}

// The time between two looks is what the test says, whatever it is.
TEST(FreeProcessors, AreThoseThatOtherThreadsDoNotUse) {
  FreeProcessors left(10);
  ThreadRole cpu_threads;
  EXPECT_EQ(left.count(), 10U);
  EXPECT_TRUE(left.look(kSecond, cpu_threads));
  EXPECT_FALSE(left.look(kSecond + 1, cpu_threads));
  work_for(0.03);
  EXPECT_TRUE(left.look(kSecond + 10'000, cpu_threads));  // three processors' time
  EXPECT_LE(left.count(), 6U);
  work_for(0.2);
  EXPECT_TRUE(left.look(kSecond + 20'000, cpu_threads));
  EXPECT_EQ(left.count(), 0U);
}

TEST(FreeProcessors, CpuThreadsDoNotCountAsOthers) {
  FreeProcessors left(10);
  ThreadRole cpu_threads;
  cpu_threads.enter();
  EXPECT_TRUE(left.look(kSecond, cpu_threads));
  work_for(0.05);
  EXPECT_TRUE(left.look(2 * kSecond, cpu_threads));
  EXPECT_EQ(left.count(), 9U);
}

}  // namespace
}  // namespace warpdex
