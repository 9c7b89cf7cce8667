// Work shared over threads: each item once, the first failure, and too few threads.
#include "warpdex/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace warpdex {
namespace {

TEST(ParallelFor, GivesOutEachItemOnce) {
  for (const std::size_t threads : {0, 1, 2, 7}) {
    for (const std::size_t items : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> seen(items);
      parallel_for(threads, items, [&](std::size_t thread, std::size_t item) {
        EXPECT_LT(thread, threads == 0 ? default_threads() : threads);
        ++seen[item];
      });
      for (const std::atomic<int>& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, RethrowsAndStops) {
  std::atomic<int> done{0};
  EXPECT_THROW(parallel_for(3, 1'000'000,
                            [&](std::size_t, std::size_t item) {
                              if (item == 10) throw std::runtime_error("ten");
                              ++done;
                            }),
               std::runtime_error);
  EXPECT_LT(done, 1'000'000);
}

// What a process does whose memory holds no stack of another thread: 0 if all items were done, 3 if
// it gets more and more threads all the same.
int work_without_threads() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t space = pages * static_cast<rlim_t>(::sysconf(_SC_PAGE_SIZE)) + (1 << 20);
  const rlimit limit{space, space};
  if (pages == 0 || ::setrlimit(RLIMIT_AS, &limit) != 0) return 3;
  std::latch release(1);
  std::vector<std::jthread> waiting;  // on stacks that the C library kept from earlier threads
  bool refused = false;
  while (!refused && waiting.size() < 100) {
    try {
      waiting.emplace_back([&] { release.wait(); });
    } catch (const std::system_error&) {
      refused = true;
    }
  }
  int done = 0;  // by this thread alone
  try {
    if (refused) parallel_for(4, 100, [&](std::size_t, std::size_t) { ++done; });
  } catch (const std::system_error&) {
    done = -1;
  }
  release.count_down();
  if (!refused) return 3;
  return done == 100 ? 0 : 1;
}

TEST(ParallelFor, DoesAllByItselfWhereNoThreadIsToBeHad) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take their memory as they go";
#endif
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 2;
    try {
      status = work_without_threads();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) GTEST_SKIP() << "this system gives threads without memory";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace warpdex
