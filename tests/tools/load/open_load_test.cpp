// Loads: arrivals at the rate that was asked for, latencies from the intended arrival, and
// summaries that are right.
#include "load/open_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support.hpp"
#include "tests/tools/load/two_words.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

TEST(Arrivals, AreOfTheRateAndReproducible) {
  for (const ArrivalKind kind : {ArrivalKind::kPoisson, ArrivalKind::kBursts}) {
    const std::vector<Micros> times = arrival_times(kind, 2'000, 100, 7);
    EXPECT_NEAR(static_cast<double>(times.size()), 200'000, 20'000);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_LT(times.back(), 100e6);
    EXPECT_EQ(times, arrival_times(kind, 2'000, 100, 7));
    EXPECT_NE(times, arrival_times(kind, 2'000, 100, 8));
  }
  EXPECT_THROW(arrival_times(ArrivalKind::kPoisson, 0, 1, 1), UsageError);
  EXPECT_THROW(arrival_times(ArrivalKind::kPoisson, 1, -1, 1), UsageError);
  EXPECT_THROW(arrival_times(ArrivalKind::kBursts, 1e30, 1, 1), UsageError);
}

// Of many arrivals, and of bursts that have none for a long time.
TEST(Arrivals, CanBeGivenUp) {
  struct Stop {};
  const auto stop = [] { throw Stop(); };
  EXPECT_THROW(arrival_times(ArrivalKind::kPoisson, 1e6, 1, 1, stop), Stop);
  EXPECT_THROW(arrival_times(ArrivalKind::kBursts, 1e-9, 1e9, 1, stop), Stop);
}

/// Variance over mean of the arrivals in intervals of 10 ms.
double dispersion(const std::vector<Micros>& times) {
  std::vector<double> counts(static_cast<std::size_t>(times.back() / 10'000) + 1);
  for (const Micros time : times) ++counts[static_cast<std::size_t>(time / 10'000)];
  const auto n = static_cast<double>(counts.size());
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / n;
  double squares = 0;
  for (const double count : counts) squares += (count - mean) * (count - mean);
  return squares / n / mean;
}

TEST(Arrivals, PoissonIsPoissonAndBurstsAreNot) {
  EXPECT_NEAR(dispersion(arrival_times(ArrivalKind::kPoisson, 5'000, 60, 9)), 1, 0.15);
  EXPECT_GT(dispersion(arrival_times(ArrivalKind::kBursts, 5'000, 60, 9)), 5);
}

TEST(Arrivals, AReplayKeepsTheLogsProportions) {
  const std::vector<double> log{10, 30, 20, 50};
  const std::vector<Micros> times = replayed_times(log, 2);  // four queries in two seconds
  EXPECT_EQ(times, (std::vector<Micros>{0, 0.5e6, 1e6, 2e6}));
  EXPECT_THROW(replayed_times(std::vector<double>{1}, 2), UsageError);
  EXPECT_THROW(replayed_times(std::vector<double>{1, 1}, 2), UsageError);
}

TEST(LoadSummaries, CountWhatIsMissed) {
  std::vector<LoadOutcome> outcomes;
  std::vector<Micros> arrivals;
  for (int i = 0; i < 100; ++i) {
    outcomes.push_back({.latency = static_cast<float>(i + 1), .lag = 0.5F});
    arrivals.push_back(i * 1e4);
  }
  outcomes[0].end = JobEnd::kRefused;
  outcomes[1].end = JobEnd::kPartial;
  outcomes[2].processor = Processor::kGpu;
  const LoadSummary all = summarise_load(outcomes, arrivals, 90);
  EXPECT_EQ(all.arrivals, 100U);
  EXPECT_DOUBLE_EQ(all.missed_share, 0.12);  // ten late, one refused, one partial
  EXPECT_DOUBLE_EQ(all.max, 100);
  EXPECT_DOUBLE_EQ(all.p50, 51);  // of 2 to 100
  EXPECT_DOUBLE_EQ(all.mean, 51);
  EXPECT_DOUBLE_EQ(all.max_lag, 0.5);
  EXPECT_EQ(all.partial, 1U);
  EXPECT_EQ(all.refused, 1U);
  EXPECT_EQ(all.on_gpu, 1U);
  EXPECT_NEAR(all.rate, 100 / 0.99, 1e-6);
  const LoadSummary first = summarise_load(std::span(outcomes).first(50), arrivals, kNever);
  EXPECT_EQ(first.arrivals, 50U);
  EXPECT_DOUBLE_EQ(first.seconds, 0.99);  // the load's
  EXPECT_DOUBLE_EQ(first.missed_share, 0.04);
  EXPECT_EQ(summarise_load({}, {}, 1).arrivals, 0U);
}

// Each sleep of 20 ms lets many arrivals become due. All are submitted, none too early.
TEST(LoadRuns, GeneratorsThatNapSubmitWhatIsDue) {
  const test::TemporaryFolder folder;
  const Snapshot index = test::two_words(folder);
  SchedulerSettings settings;
  settings.cpu_threads = 1;
  Scheduler scheduler(index, {}, settings);
  const std::vector<PlannedSearch> queries{{plan_query(index, {"", {{"a"}, {"b"}}}), {}}};
  const std::vector<Micros> arrivals = arrival_times(ArrivalKind::kPoisson, 2'000, 0.3, 7);
  CallerStatistics callers;
  const std::vector<LoadOutcome> outcomes =
      run_load(scheduler, queries,
               {.arrivals = arrivals, .options = {}, .generators = 2, .nap = 20'000}, {}, &callers);
  ASSERT_EQ(outcomes.size(), arrivals.size());
  float sum = 0;
  for (const LoadOutcome& outcome : outcomes) {
    ASSERT_EQ(outcome.end, JobEnd::kComplete);
    ASSERT_GE(outcome.lag, 0);
    ASSERT_GE(outcome.latency, outcome.lag);
    sum += outcome.lag;
  }
  // Half of a nap on average, if no nap takes longer.
  EXPECT_GT(sum / static_cast<float>(outcomes.size()), 5'000);
}

// The next query is due in eleven days; whoever waits for it looks up long before.
TEST(LoadRuns, EndSoonWhereTheCallerGivesUp) {
  struct Stop {};
  const test::TemporaryFolder folder;
  const Snapshot index = test::two_words(folder);
  SchedulerSettings settings;
  settings.cpu_threads = 1;
  Scheduler scheduler(index, {}, settings);
  const std::vector<PlannedSearch> queries{{plan_query(index, {"", {{"a"}}}), {}}};
  const std::vector<Micros> arrivals{0, 1e12};
  for (const Micros nap : {0, 20'000}) {
    const auto start = std::chrono::steady_clock::now();
    const auto on_wait = [](std::size_t submitted) {
      if (submitted == 1) throw Stop();
    };
    EXPECT_THROW(
        run_load(scheduler, queries, {.arrivals = arrivals, .options = {}, .nap = nap}, on_wait),
        Stop);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
}

// All arrive together, at a time that has passed when the later ones are submitted: that counts.
TEST(LoadRuns, CountFromTheIntendedArrival) {
  const test::TemporaryFolder folder;
  const Snapshot index = test::two_words(folder);
  SchedulerSettings settings;
  settings.cpu_threads = 1;
  Scheduler scheduler(index, {}, settings);
  const std::vector<PlannedSearch> queries{{plan_query(index, {"", {{"a"}, {"b"}}}), {}},
                                           {plan_query(index, {"", {{"b"}}}), {}}};
  const std::vector<Micros> together(500, 0);
  for (const std::size_t generators : {1, 3}) {
    CallerStatistics callers;
    const std::vector<LoadOutcome> outcomes =
        run_load(scheduler, queries,
                 {.arrivals = together, .options = {}, .generators = generators}, {}, &callers);
    EXPECT_EQ(callers.threads.threads, generators);
    EXPECT_GT(callers.submitting, 0);
    ASSERT_EQ(outcomes.size(), together.size());
    float largest = 0;
    for (const LoadOutcome& outcome : outcomes) {
      ASSERT_EQ(outcome.end, JobEnd::kComplete);
      ASSERT_GE(outcome.latency, outcome.lag);
      ASSERT_GE(outcome.lag, 0);
      largest = std::max(largest, outcome.lag);
    }
    EXPECT_GT(largest, 0);
  }
  EXPECT_EQ(scheduler.statistics().submitted, 1'000U);
  EXPECT_THROW(run_load(scheduler, queries, {.arrivals = together, .options = {.client = 7}}),
               UsageError);
}

}  // namespace
}  // namespace warpdex::tools
