// Which replica is asked when, on a clock that stands still while nothing waits.
#include "replicas/clockwork.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/api/replicas/simulation.hpp"

namespace warpdex {
namespace {

using test::kNever;
using test::Names;
using test::Simulation;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kNear = 1e-6;

TEST(ClockworkTest, AllPartsAnswerSideBySide) {
  Simulation all({Names{"a"}, Names{"b"}, Names{"c"}});
  all["a"].seconds = 0.03;
  all["c"].seconds = 0.02;
  const auto third = all.begin(2, 1, "1");
  const auto first = all.begin(0, 1, "2");
  const auto second = all.begin(1, 1, "3");
  all.finish();
  EXPECT_EQ(third->reply.bytes, "c:1");
  EXPECT_EQ(first->reply.bytes, "a:2");
  EXPECT_EQ(second->reply.bytes, "b:3");
  EXPECT_NEAR(all.now(), 0.03, kNear);
}

TEST(ClockworkTest, TheReplicaWithTheLeastWorkIsAsked) {
  Simulation all({Names{"a", "b", "c"}}, {.samples = 1000});
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 9; ++i) all.begin(0);
    all.finish();
  }
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(all[name].calls, 12) << name;
}

TEST(ClockworkTest, AReplicaIsAskedForSomeTurns) {
  Simulation all({Names{"a", "b"}});
  std::vector<std::string> answers;
  for (int i = 0; i < 128; ++i) answers.push_back(all.ask().first.bytes);
  EXPECT_EQ(std::ranges::count(answers, "a:x"), 64);
  const std::vector<std::string> wanted(32, "b:x");
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), answers.begin() + 32));
}

TEST(ClockworkTest, AFailureGoesToAnotherReplicaAtOnce) {
  Simulation all({Names{"bad", "good"}});
  all["bad"] = {.seconds = 0, .fails = true};
  const auto [reply, took] = all.ask();
  EXPECT_EQ(reply.bytes, "good:x");
  EXPECT_NEAR(took, 0.01, kNear);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all.ask().first.bytes, "good:x");
  EXPECT_LE(all["bad"].calls, 2);  // it rests
  all["bad"].fails = false;
  all.pass(20);
  for (int i = 0; i < 100; ++i) all.ask();
  EXPECT_GT(all["bad"].calls, 30);
}

TEST(ClockworkTest, AReplicaThatComesBackIsAskedAgain) {
  Simulation all({Names{"only"}});
  all["only"] = {.seconds = 0.001, .fails = true};
  all.later(0.3, [&] { all["only"].fails = false; });
  const auto [found, took] = all.ask();
  EXPECT_EQ(found.bytes, "only:x");
  EXPECT_GT(took, 0.3);
  EXPECT_LT(took, 0.75);
  all["only"].fails = true;
  const auto [none, whole] = all.ask();
  EXPECT_THAT(none.failure, HasSubstr("only: gone"));
  EXPECT_NEAR(whole, 1, kNear);
}

TEST(ClockworkTest, AReplicaThatFailedIsAskedAgainWhileAnotherStandsStill) {
  Simulation all({Names{"silent", "back"}});
  all["silent"].seconds = kNever;
  all["back"] = {.seconds = 0.001, .fails = true};
  all.later(0.2, [&] { all["back"].fails = false; });
  const auto [reply, took] = all.ask();
  EXPECT_EQ(reply.bytes, "back:x");
  EXPECT_LT(took, 0.4);
}

TEST(ClockworkTest, NoAnswerComesAfterTheDeadline) {
  for (const Names& names : {Names{"a"}, Names{"a", "b"}, Names{}}) {
    Simulation all({names}, {});
    for (const std::string& name : names) all[name].seconds = kNever;
    const auto [reply, took] = all.ask(0, 0.5);
    EXPECT_THAT(reply.failure, StartsWith("no answer in time"));
    EXPECT_LE(took, 0.5 + kNear);
    EXPECT_EQ(all.counters().failures, 1);
    EXPECT_EQ(all.under_way(), names.size());
    all.pass(30);
    for (const std::string& name : names) all[name].seconds = 0.01;
    all.ask();
    EXPECT_EQ(all.under_way(), 0) << "those are given up";
  }
}

TEST(ClockworkTest, AMessageThatIsGivenUpGoesToAnother) {
  Simulation all({Names{"a"}}, {.abandon = 3});
  all["a"].seconds = kNever;
  all.later(2, [&] { all["a"].seconds = 0.01; });
  const auto [reply, took] = all.ask(0, 100);
  EXPECT_EQ(reply.bytes, "a:x");
  EXPECT_NEAR(took, 3.03, kNear);  // and a pause
}

TEST(ClockworkTest, ASlowReplicaIsHedgedAtThe95thPercentile) {
  Simulation all({Names{"slow", "quick"}});
  for (int i = 0; i < 200; ++i) {
    all["slow"].seconds = all["quick"].seconds = 0.001 * (1 + i % 100);
    all.ask();
  }
  EXPECT_GT(all.counters().hedges, 0);
  all.pass(1);
  all.counters().hedges = all.counters().hedges_won = 0;
  all["slow"].seconds = kNever;
  all["quick"].seconds = 0.001;
  double longest = 0;
  for (int i = 0; i < 64; ++i) longest = std::max(longest, all.ask().second);
  EXPECT_NEAR(longest, 0.096 + 0.001, 0.01);
  EXPECT_GT(all.counters().hedges, 0);
  EXPECT_EQ(all.counters().hedges_won, all.counters().hedges);
}

TEST(ClockworkTest, LongMessagesAreHedgedByTheTimesOfLongOnes) {
  Simulation all({Names{"a", "b"}});
  const auto ask_many = [&](const std::string& bytes, double seconds) {
    all["a"].seconds = all["b"].seconds = seconds;
    for (int i = 0; i < 100; ++i) {
      all.begin(0, 1, bytes);
      all.finish();
    }
  };
  ask_many(std::string(100'000, 'x'), 0.3);
  ask_many("x", 0.002);
  EXPECT_EQ(all.counters().hedges, 0);
  ask_many(std::string(70'000, 'x'), 0.3);
  EXPECT_EQ(all.counters().hedges, 0);
  ask_many("y", 0.04);
  EXPECT_GT(all.counters().hedges, 0);
}

TEST(ClockworkTest, HedgesAreFewWhereAllAreSlow) {
  Simulation all({Names{"a", "b"}});
  for (int i = 0; i < 50; ++i) all.ask();
  all["a"].seconds = all["b"].seconds = 0.2;
  for (int i = 0; i < 300; ++i) all.begin(0);
  all.finish();
  EXPECT_GT(all.counters().hedges, 0);
  EXPECT_LE(all.counters().hedges, 3 + 35);
  EXPECT_EQ(all["a"].calls + all["b"].calls - 350, all.counters().hedges);
}

TEST(ClockworkTest, WithoutABudgetAnotherIsAskedAtHalfTime) {
  Simulation all({Names{"a", "b"}}, {.hedge_share = 0});
  all["a"].seconds = kNever;
  for (int i = 0; i < 20; ++i) {
    all.copy(0, 0).under_way = all.copy(0, 1).under_way = 0;
    all.copy(0, 1).rests_until = replicas::Time::max();
    const auto [reply, took] = all.ask();
    EXPECT_EQ(reply.bytes, "b:x");
    EXPECT_LE(took, 0.51 + kNear);
  }
  EXPECT_EQ(all.counters().hedges, 3);
}

TEST(ClockworkTest, MessagesUnderWayFindNewReplicas) {
  Simulation all({Names{"a"}});
  all["a"].seconds = kNever;
  all.later(0.1, [&] { all.add(0, "b"); });
  const auto [reply, took] = all.ask();
  EXPECT_EQ(reply.bytes, "b:x");
  EXPECT_LE(took, 0.51 + kNear);
}

TEST(ClockworkTest, AVersionThatIsNowhereEndsAMessageAtOnce) {
  Simulation nowhere({Names{"a", "b"}});
  nowhere["a"] = nowhere["b"] = {.seconds = 0, .lacks_version = true};
  const auto [none, took] = nowhere.ask();
  EXPECT_FALSE(none.is_of_version);
  EXPECT_THAT(none.failure, HasSubstr("not open"));
  EXPECT_EQ(took, 0);
  Simulation half({Names{"a", "b"}});
  half["a"] = {.seconds = 0, .lacks_version = true};
  EXPECT_EQ(half.ask().first.bytes, "b:x");
  half["b"].fails = true;
  const auto [failed, whole] = half.ask();
  EXPECT_TRUE(failed.is_of_version);
  EXPECT_NEAR(whole, 1, kNear);
}

TEST(ClockworkTest, AMessageThatNobodyWaitsForIsNotSent) {
  replicas::Clockwork clockwork(1, {}, std::make_shared<ReplicaCounters>());
  clockwork.take({Names{"a"}});
  const replicas::Time begin{};
  const auto race = clockwork.begin(0, "x", replicas::after(begin, 1), begin);
  clockwork.advance(race, replicas::after(begin, 1));
  EXPECT_TRUE(race->is_over);
  EXPECT_EQ(clockwork.copies(0)[0]->under_way, 1);
  EXPECT_FALSE(clockwork.next().has_value());
  EXPECT_EQ(clockwork.copies(0)[0]->under_way, 0);
}

TEST(ClockworkTest, AReplicaThatIsBeingSentToGetsNoOtherMessage) {
  replicas::Clockwork clockwork(1, {}, std::make_shared<ReplicaCounters>());
  clockwork.take({Names{"a", "b"}});
  const replicas::Time begin{};
  std::vector<std::shared_ptr<replicas::Race>> races;
  for (const char* bytes : {"1", "2", "3", "4"}) {
    races.push_back(clockwork.begin(0, bytes, replicas::after(begin, 1), begin));
  }
  const auto first = clockwork.next();
  const auto second = clockwork.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->name, "a");
  EXPECT_EQ(second->name, "b");
  EXPECT_FALSE(clockwork.has_to_send());
  clockwork.sent(second->number);
  const auto third = clockwork.next();
  ASSERT_TRUE(third);
  EXPECT_EQ(*third->bytes, "3");
  EXPECT_FALSE(clockwork.next().has_value());
  clockwork.sent(first->number);
  const auto fourth = clockwork.next();
  ASSERT_TRUE(fourth);
  EXPECT_EQ(*fourth->bytes, "4");
}

}  // namespace
}  // namespace warpdex
