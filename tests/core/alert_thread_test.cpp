// A thread that takes work while it is awake, and none while it sleeps.
#include "warpdex/core/alert_thread.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace warpdex {
namespace {

using std::chrono::microseconds;

/// Asks until it is taken: the thread wakes up meanwhile.
void start_surely(AlertThread& thread, const std::function<void()>& work) {
  while (!thread.start(work)) std::this_thread::sleep_for(microseconds(10));
}

TEST(AlertThread, DoesAllWorkThatItTakes) {
  AlertThread thread(microseconds(100));
  int done = 0;
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 1'000 == 0) std::this_thread::sleep_for(microseconds(300));  // it falls asleep
    if (!thread.start([&] { ++done; })) continue;
    ++taken;
    thread.wait();
    ASSERT_EQ(done, taken);
  }
  start_surely(thread, [&] { ++done; });
  thread.wait();
  EXPECT_EQ(done, taken + 1);
}

TEST(AlertThread, WorksBesideItsCaller) {
  AlertThread thread;
  std::atomic<int> step = 0;
  start_surely(thread, [&] {
    step = 1;
    while (step != 2) std::this_thread::yield();
    step = 3;
  });
  while (step != 1) std::this_thread::yield();
  step = 2;
  thread.wait();
  EXPECT_EQ(step, 3);
}

TEST(AlertThread, AsleepItTakesNoneAtFirst) {
  AlertThread thread(microseconds(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  bool is_done = false;
  EXPECT_FALSE(thread.start([&] { is_done = true; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_done);
}

TEST(AlertThread, FailuresAreTheCallers) {
  AlertThread thread;
  start_surely(thread, [] { throw std::runtime_error("no"); });
  EXPECT_THROW(thread.wait(), std::runtime_error);
  int done = 0;
  start_surely(thread, [&] { ++done; });
  EXPECT_NO_THROW(thread.wait());
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace warpdex
