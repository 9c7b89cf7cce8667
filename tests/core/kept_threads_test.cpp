// Threads that stay: each item once, the first failure, several calls at once, calls within calls.
#include "warpdex/core/kept_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

TEST(KeptThreads, GiveOutEachItemOnce) {
  KeptThreads kept;
  for (const std::size_t threads : {0, 1, 2, 7, 3}) {
    for (const std::size_t items : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> seen(items);
      kept.parallel_for(threads, items, [&](std::size_t thread, std::size_t item) {
        EXPECT_LT(thread, threads == 0 ? default_threads() : threads);
        ++seen[item];
      });
      for (const std::atomic<int>& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(KeptThreads, AllWorkAtOnceAndStayForTheNextCall) {
  constexpr std::size_t kThreads = 5;
  KeptThreads kept;
  std::mutex mutex;
  std::set<std::thread::id> ids;
  for (int call = 0; call < 50; ++call) {
    std::barrier all(kThreads);
    kept.parallel_for(kThreads, kThreads, [&](std::size_t, std::size_t) {
      all.arrive_and_wait();  // returns only if each item has a thread of its own
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(ids.size(), kThreads);
}

TEST(KeptThreads, FailuresAreToldAndTheNextCallWorks) {
  KeptThreads kept;
  std::atomic<int> done{0};
  const auto fail = [&](std::size_t, std::size_t item) {
    if (item == 10) throw std::runtime_error("ten");
    ++done;
  };
  EXPECT_THROW(kept.parallel_for(3, 1'000'000, fail), std::runtime_error);
  EXPECT_LT(done, 1'000'000);
  done = 0;
  kept.parallel_for(3, 10, fail);
  EXPECT_EQ(done, 10);
}

TEST(KeptThreads, CallsAtOnceAndWithinCalls) {
  KeptThreads kept;
  std::atomic<int> done{0};
  parallel_for(4, 400, [&](std::size_t, std::size_t) {
    kept.parallel_for(3, 5, [&](std::size_t, std::size_t) {
      kept.parallel_for(2, 2, [&](std::size_t, std::size_t) { ++done; });
    });
  });
  EXPECT_EQ(done, 400 * 5 * 2);
}

}  // namespace
}  // namespace warpdex
