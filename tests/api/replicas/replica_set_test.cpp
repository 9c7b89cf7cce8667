// Replicas by the machine's clock: what comes from many threads, and when.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>

#include "tests/api/replicas/replica_threads.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Names = std::vector<std::string>;
using test::Kind;
using test::ReplicaThreads;
using testing::HasSubstr;

constexpr std::uint32_t kParts = 3;
constexpr std::size_t kAskers = 4;

std::vector<std::vector<std::string>> names_of(std::size_t replicas) {
  std::vector<std::vector<std::string>> names(kParts);
  for (std::uint32_t part = 0; part < kParts; ++part) {
    for (std::size_t i = 0; i < replicas; ++i) {
      names[part].push_back(std::to_string(part) + "/" + std::to_string(i));
    }
  }
  return names;
}

std::vector<PartMessage> messages_of(const std::string& bytes) {
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < kParts; ++part) messages.push_back({part, bytes});
  return messages;
}

/// Milliseconds behind a time.
double behind(Clock::time_point time) {
  return std::chrono::duration<double, std::milli>(Clock::now() - time).count();
}

double p999(std::vector<double> values) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, values.size() * 999 / 1000)];
}

/// Runs it on so many threads at a time, each with its number.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

class ReplicaSetTest : public testing::TestWithParam<std::size_t> {};

/// One replica of each part is well, others change all the time: each message has its answer, and
/// no other one's.
TEST_P(ReplicaSetTest, NothingFailsThatHasAReplica) {
  ReplicaSet set(kParts, {.first_hedge = 0.005, .hedge_share = 1, .rest = 0.01});
  const auto names = names_of(GetParam());
  std::mt19937_64 random = test::generator(7300 + GetParam());
  std::atomic<std::size_t> answered = 0;
  {
    ReplicaThreads hosts(set, names, random());
    std::atomic<bool> is_over = false;
    std::thread changing([&, seed = random()] {
      std::mt19937_64 own(seed);
      while (!is_over) {
        for (std::uint32_t part = 0; part < kParts; ++part) {
          for (std::size_t i = 1; i < names[part].size(); ++i) {
            hosts.set(names[part][i], static_cast<Kind>(own() % 5));
          }
        }
        std::this_thread::sleep_for(milliseconds(own() % 50));
      }
    });
    side_by_side(kAskers, [&](std::size_t asker) {
      for (int number = 0; number < 500; ++number) {
        const std::string bytes = std::to_string(asker) + "." + std::to_string(number);
        const auto replies = set.ask(messages_of(bytes), Clock::now() + std::chrono::seconds(20));
        for (std::uint32_t part = 0; part < kParts; ++part) {
          EXPECT_EQ(replies[part].failure, "");
          EXPECT_EQ(replies[part].bytes, ReplicaThreads::prefix(part) + bytes);
        }
        ++answered;
      }
    });
    is_over = true;
    changing.join();
  }
  EXPECT_EQ(answered, 500 * kAskers);
}

INSTANTIATE_TEST_SUITE_P(Replicas, ReplicaSetTest, testing::Values(1, 2, 3));

/// Asks that no replica answers return at their deadlines: of 1,000 all but one within 10 ms,
/// beside what this machine makes threads wait that only sleep until such times.
TEST(ReplicaSetTest, NoAnswerIsLate) {
  ReplicaSet set(kParts);
  const auto names = names_of(2);
  std::mt19937_64 random = test::generator(7400);
  std::mutex mutex;
  std::vector<double> late;
  std::vector<double> machine;
  std::size_t failed = 0;
  std::uint64_t seeds[2 * kAskers];
  for (std::uint64_t& seed : seeds) seed = random();
  {
    ReplicaThreads hosts(set, names, random());
    for (std::uint32_t part = 0; part < kParts; ++part) {
      hosts.set(names[part][0], Kind::kSlow);
      hosts.set(names[part][1], part == 0   ? Kind::kSilent
                                : part == 1 ? Kind::kStuck
                                            : Kind::kFailing);
    }
    side_by_side(2 * kAskers, [&](std::size_t thread) {
      std::mt19937_64 own(seeds[thread]);
      for (int number = 0; number < 500; ++number) {
        const auto deadline = Clock::now() + std::chrono::microseconds(2'000 + own() % 20'000);
        if (thread >= kAskers) {
          std::this_thread::sleep_until(deadline);
          const std::lock_guard lock(mutex);
          machine.push_back(behind(deadline));
          continue;
        }
        const auto replies = set.ask(messages_of("x"), deadline);
        const double by = behind(deadline);
        const std::lock_guard lock(mutex);
        late.push_back(by);
        for (const ReplicaReply& reply : replies) failed += !reply.failure.empty();
      }
    });
  }
  const double waits = std::ranges::max(machine);
  std::printf(
      "p99.9 of the return: %.2f ms behind the deadline; of this machine: %.2f, at most %.2f\n",
      p999(late), p999(machine), waits);
  EXPECT_EQ(late.size(), 500 * kAskers);
  EXPECT_GT(failed, 100);
  EXPECT_LE(p999(late), 10 + waits);
}

TEST(ReplicaSetTest, AnswersWithAFaultGoToAnotherReplica) {
  const auto find_fault = [](std::string_view answer) {
    return std::string(answer == "bad" ? "it is bad" : "");
  };
  auto counters = std::make_shared<ReplicaCounters>();
  ReplicaSet set(1, {}, counters, find_fault);
  set.take({Names{"a", "b"}});
  std::thread sender([&] {
    std::uint64_t sent = 0;
    while (const auto call = set.next(sent)) {
      sent = call->number;
      set.answered(sent, call->name == "a" ? "bad" : "good");
    }
  });
  const auto later = Clock::now() + std::chrono::seconds(20);
  EXPECT_EQ(set.ask({{0, "x"}}, later).front().bytes, "good");
  set.take({Names{"a"}});
  const ReplicaReply reply = set.ask({{0, "x"}}, Clock::now() + milliseconds(50)).front();
  EXPECT_EQ(reply.failure, "no answer in time (a: it is bad)");
  EXPECT_TRUE(set.ask({}, later).empty());
  EXPECT_THROW(set.ask({{1, "x"}}, later), UsageError);
  EXPECT_THROW(set.take({Names{"a"}, Names{"b"}}), UsageError);
  set.close();
  EXPECT_THAT(set.ask({{0, "x"}}, later).front().failure, HasSubstr("no answer in time"));
  EXPECT_GE(counters->retries, 1);
  EXPECT_EQ(counters->messages, 3);
  EXPECT_EQ(counters->failures, 2);
  sender.join();
}

}  // namespace
}  // namespace warpdex
