// Whether threads get each query once, and none of a batch before the one before it is answered.
#include "warpdex/tools/query_turns.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace warpdex::tools {
namespace {

struct Event {
  std::size_t query;
  bool is_end;
};

/// What threads did, in an order in which it can have happened.
std::vector<Event> run_all(QueryTurns& turns, std::size_t threads) {
  std::mutex mutex;
  std::vector<Event> events;
  const auto note = [&](std::size_t query, bool is_end) {
    const std::lock_guard lock(mutex);
    events.push_back({query, is_end});
  };
  const auto work = [&] {
    while (const auto query = turns.take()) {
      note(*query, false);
      if (*query % 7 == 3) std::this_thread::sleep_for(std::chrono::microseconds(300));
      note(*query, true);
      turns.answered();
    }
  };
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < threads; ++i) running.emplace_back(work);
  running.clear();  // joins
  return events;
}

TEST(QueryTurns, ABatchBeginsWhenTheOneBeforeIsAnswered) {
  for (const std::size_t threads : {1, 2, 5}) {
    for (const std::size_t queries : {0, 1, 31, 64, 100}) {
      for (const std::size_t size : {1, 2, 32, 33, 100, 1000}) {
        SCOPED_TRACE(testing::Message() << threads << ' ' << queries << ' ' << size);
        QueryTurns turns(queries, size);
        std::vector<int> begun(queries);
        std::size_t ended = 0;
        for (const Event& event : run_all(turns, threads)) {
          ASSERT_LT(event.query, queries);
          if (event.is_end) {
            ++ended;
            continue;
          }
          ++begun[event.query];
          ASSERT_GE(ended, event.query / size * size);
        }
        EXPECT_EQ(begun, std::vector<int>(queries, 1));
        EXPECT_EQ(ended, queries);
        std::vector<std::uint64_t> times((queries + size - 1) / size, ~std::uint64_t{0});
        turns.write_times(times.data());
        for (const std::uint64_t time : times) EXPECT_LT(time, 60'000'000'000U);
      }
    }
  }
}

TEST(QueryTurns, TimesAreThoseOfEachBatch) {
  QueryTurns turns(5, 2);
  for (const int milliseconds : {0, 40, 0, 0, 15}) {
    ASSERT_TRUE(turns.take());
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    turns.answered();
  }
  std::uint64_t times[3];
  turns.write_times(times);
  EXPECT_GE(times[0], 40'000'000U);
  EXPECT_GE(times[2], 15'000'000U);
}

TEST(QueryTurns, AFailureLetsAllGo) {
  QueryTurns turns(10, 2);
  ASSERT_EQ(turns.take(), 0U);  // which is never answered
  ASSERT_EQ(turns.take(), 1U);
  std::jthread waits([&] { EXPECT_EQ(turns.take(), std::nullopt); });
  turns.fail();
}

}  // namespace
}  // namespace warpdex::tools
