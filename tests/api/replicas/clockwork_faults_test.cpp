// Random faults of replicas, on a clock that stands still while nothing waits.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/api/replicas/simulation.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using test::kNever;
using test::Names;
using test::Simulation;
using testing::StartsWith;

/// One of two stands still: the 99th percentile stays below the deadline, nothing fails.
TEST(ClockworkFaultsTest, AStoppedReplicaDoesNotSlowTheOthers) {
  std::mt19937_64 random = test::generator(7100);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Simulation all({Names{"stopped", "well"}});
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    if (i == 100) all["stopped"].seconds = kNever;
    all["well"].seconds = uniform(0.005, 0.015);
    const auto [reply, took] = all.ask(0, 0.5);
    ASSERT_EQ(reply.failure, "");
    times.push_back(took);
    all.pass(uniform(0, 0.01));
  }
  std::ranges::sort(times);
  EXPECT_LT(times[990], 0.1);
  EXPECT_LT(times.back(), 0.5);
}

class ClockworkRandomTest : public testing::TestWithParam<std::size_t> {};

TEST_P(ClockworkRandomTest, RandomFaultsNeverGiveAWrongOrLateAnswer) {
  std::mt19937_64 random = test::generator(7200 + GetParam());
  std::vector<std::vector<std::string>> names(3);
  for (std::size_t i = 0; i < GetParam(); ++i) {
    for (std::size_t part = 0; part < 3; ++part) {
      names[part].push_back(std::to_string(part) + "." + std::to_string(i));
    }
  }
  Simulation all(names);
  const double times[] = {0.001, 0.01, 0.01, 0.3, kNever};
  std::uint64_t failed = 0;
  for (int number = 0; number < 2000; ++number) {
    std::vector<bool> has_well(3);
    for (std::size_t part = 0; part < 3; ++part) {
      for (const std::string& name : names[part]) {
        all[name].seconds = times[random() % 5];
        all[name].fails = random() % 5 == 0;
        has_well[part] = has_well[part] || (all[name].seconds < 0.1 && !all[name].fails);
      }
    }
    const double start = all.now();
    std::vector<std::shared_ptr<replicas::Race>> races;
    for (std::uint32_t part = 0; part < 3; ++part) {
      races.push_back(all.begin(part, 0.5, std::to_string(number)));
    }
    all.finish();
    ASSERT_LE(all.now(), start + 0.5 + 1e-6);
    for (std::size_t part = 0; part < 3; ++part) {
      const ReplicaReply& reply = races[part]->reply;
      failed += !reply.failure.empty();
      ASSERT_TRUE(reply.failure.empty() || !has_well[part]) << reply.failure;
      if (!reply.failure.empty()) continue;
      EXPECT_THAT(reply.bytes, StartsWith(std::to_string(part) + "."));
      EXPECT_THAT(reply.bytes, testing::EndsWith(":" + std::to_string(number)));
    }
  }
  EXPECT_EQ(all.counters().messages, 6000);
  EXPECT_EQ(all.counters().failures, failed);
  all.pass(31);
  for (std::uint32_t part = 0; part < 3; ++part) {
    for (const std::string& name : names[part]) all[name] = {.seconds = 0};
    all.ask(part);
  }
  EXPECT_EQ(all.under_way(), 0);
}

INSTANTIATE_TEST_SUITE_P(Replicas, ClockworkRandomTest, testing::Values(1, 2, 3));

}  // namespace
}  // namespace warpdex
