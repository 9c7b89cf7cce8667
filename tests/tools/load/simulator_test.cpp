// The simulator against what queueing theory says, and by what must hold of every simulation.
#include "load/simulator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support.hpp"

namespace warpdex::tools {
namespace {

SimulatedQuery query_of(float cpu, float alone = 0, float share = 0, float base = 0) {
  JobCost cost{cpu, alone, share, alone > 0, base};
  return {cost, cost};
}

SimulatorSettings settings_of(std::size_t threads) {
  SimulatorSettings settings;
  settings.cpu_threads = threads;
  settings.host.run = 0;
  return settings;
}

double mean_latency(const std::vector<LoadOutcome>& outcomes) {
  double sum = 0;
  for (const LoadOutcome& outcome : outcomes) sum += static_cast<double>(outcome.latency);
  return sum / static_cast<double>(outcomes.size());
}

/// The share of queries that take more than `deadline` microseconds.
double missed_share(const std::vector<SimulatedQuery>& queries, const SimulatorSettings& settings,
                    const std::vector<Micros>& arrivals, Micros deadline) {
  return summarise_load(simulate_load(queries, arrivals, settings), arrivals, deadline)
      .missed_share;
}

// One thread and equal queries: M/D/1, whose mean time in the system is s + rho s / (2 (1 - rho)).
TEST(Simulator, OneThreadIsAnMD1Queue) {
  const std::vector<SimulatedQuery> queries{query_of(100)};
  for (const double load : {0.2, 0.5, 0.8}) {
    const auto arrivals = arrival_times(ArrivalKind::kPoisson, load * 10'000, 40, 11);
    const double expected = 100 + load * 100 / (2 * (1 - load));
    const double mean = mean_latency(simulate_load(queries, arrivals, settings_of(1)));
    EXPECT_NEAR(mean, expected, 0.04 * expected) << load;
  }
}

// Below its capacity every query is answered; far above, as many as there is capacity for.
TEST(Simulator, OverloadRefusesWhatThereIsNoTimeFor) {
  const std::vector<SimulatedQuery> queries{query_of(100)};
  SimulatorSettings settings = settings_of(4);
  settings.options.overload = OverloadPolicy::kRefuse;
  settings.options.deadline = std::chrono::milliseconds(10);
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 80'000, 5, 12);  // twice the most
  const LoadSummary summary =
      summarise_load(simulate_load(queries, arrivals, settings), arrivals, 10'000);
  EXPECT_NEAR(summary.answered_rate, 40'000, 2'000);
  EXPECT_LT(summary.p99, 15'000);
  EXPECT_GT(summary.refused, summary.arrivals / 3);
}

// Limited runs of 150 us. Two at a time on one processor take twice as long.
TEST(Simulator, RunsThatAreCutHavePartialAnswers) {
  const std::vector<SimulatedQuery> queries{{query_of(1'000).predicted, query_of(150).measured}};
  SimulatorSettings settings = settings_of(4);
  settings.options = {.deadline = std::chrono::microseconds(400),
                      .overload = OverloadPolicy::kPartial};
  settings.limited_run = 160;
  const std::vector<Micros> arrivals{0, 10'000};
  const auto ends = [&] {
    const auto outcomes = simulate_load(queries, arrivals, settings);
    return std::pair(outcomes[0].end, outcomes[1].end);
  };
  const std::pair all_complete(JobEnd::kComplete, JobEnd::kComplete);
  const std::pair all_partial(JobEnd::kPartial, JobEnd::kPartial);
  EXPECT_EQ(ends(), all_complete);
  settings.limited_run = 140;
  EXPECT_EQ(ends(), all_partial);
  settings.limited_run = 160;
  settings.host.processors = 1;
  const std::vector<Micros> together{0, 1};
  const auto outcomes = simulate_load(queries, together, settings);
  EXPECT_EQ(outcomes[1].end, JobEnd::kPartial);
}

// A job that is too late for its batch has a limited run on the CPU, though no event follows.
TEST(Simulator, LateJobsOfABatchEnd) {
  const std::vector<SimulatedQuery> queries{query_of(1e6F, 60, 20, 40)};
  SimulatorSettings settings = settings_of(1);
  settings.host.end = 500;  // the GPU's thread is busy until after the second deadline
  settings.options = {.deadline = std::chrono::microseconds(300),
                      .overload = OverloadPolicy::kPartial};
  const std::vector<Micros> arrivals{0, 61};
  const auto outcomes = simulate_load(queries, arrivals, settings);
  EXPECT_EQ(outcomes[0].end, JobEnd::kComplete);
  EXPECT_EQ(outcomes[1].end, JobEnd::kPartial);
  EXPECT_GT(outcomes[1].latency, 300);
}

// A run is stopped at the deadline, even if it was predicted to be in time.
TEST(Simulator, NoPartialRunGoesOnPastTheDeadline) {
  const std::vector<SimulatedQuery> queries{{query_of(10).predicted, query_of(150).measured}};
  SimulatorSettings settings = settings_of(1);
  settings.options = {.deadline = std::chrono::microseconds(100),
                      .overload = OverloadPolicy::kPartial};
  const std::vector<Micros> arrivals{0};
  const auto outcomes = simulate_load(queries, arrivals, settings);
  EXPECT_EQ(outcomes[0].end, JobEnd::kPartial);
  EXPECT_LE(outcomes[0].latency, 101);
}

TEST(Simulator, BatchesCarryWhatSingleQueriesCannot) {
  // Alone 50 us, in a large batch 2: far more than the 20,000 a second of batches of one.
  const std::vector<SimulatedQuery> queries{query_of(5'000, 50, 2, 48)};
  SimulatorSettings settings = settings_of(2);
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 300'000, 1, 13);
  const auto outcomes = simulate_load(queries, arrivals, settings);
  const LoadSummary summary = summarise_load(outcomes, arrivals, 10'000);
  EXPECT_LT(summary.missed_share, 0.01);
  EXPECT_GT(summary.on_gpu, summary.arrivals * 9 / 10);
  settings.placement.placement = Placement::kCpuOnly;
  const LoadSummary on_cpu =
      summarise_load(simulate_load(queries, arrivals, settings), arrivals, 10'000);
  EXPECT_GT(on_cpu.missed_share, 0.9);
}

// A batch is predicted to take 50 + 1000 * 2; the GPU answers one of that size each 1025 us.
TEST(Simulator, TheGpuIsAsFastAsItsOverlappedBatches) {
  const std::vector<SimulatedQuery> queries{query_of(5'000, 50, 2, 50)};
  const MeasuredBatch overlapped{std::vector<std::uint32_t>(2'500, 0), 1'025 + 1'025 + 525};
  SimulatorSettings settings = settings_of(1);
  settings.placement.placement = Placement::kGpuOnly;
  settings.occupancy = gpu_occupancy(queries, overlapped);
  EXPECT_DOUBLE_EQ(settings.occupancy, 0.5);
  EXPECT_EQ(gpu_occupancy(queries, {}), 1);
  const auto missed = [&](double rate) {
    return missed_share(queries, settings, arrival_times(ArrivalKind::kPoisson, rate, 2, 19),
                        20'000);
  };
  EXPECT_LT(missed(930'000), 0.01);
  EXPECT_GT(missed(1'050'000), 0.1);
}

// What the host does for a batch bounds the rate, however fast the GPU is: one thread builds, a few
// deliver.
TEST(Simulator, TheHostBoundsWhatTheGpuCarries) {
  const std::vector<SimulatedQuery> queries{query_of(5'000, 50, 0.5F, 50)};
  SimulatorSettings settings = settings_of(1);
  settings.placement.placement = Placement::kGpuOnly;
  const auto missed = [&](double rate) {
    return missed_share(queries, settings, arrival_times(ArrivalKind::kPoisson, rate, 0.3, 20),
                        10'000);
  };
  EXPECT_LT(missed(400'000), 0.01);
  settings.host.start = 3;
  settings.host.end = 1;
  EXPECT_LT(missed(230'000), 0.01);
  EXPECT_GT(missed(270'000), 0.01);
  settings.host.start = 0;
  settings.host.end = 0;
  settings.host.deliver = 8;
  settings.host.deliverers = 2;
  EXPECT_LT(missed(230'000), 0.01);
  EXPECT_GT(missed(270'000), 0.01);
}

// One thread at a time puts queries into the CPU's queue and takes them.
TEST(Simulator, TheCpusQueueBoundsWhatItsThreadsCarry) {
  const std::vector<SimulatedQuery> queries{query_of(10)};
  SimulatorSettings settings = settings_of(24);
  settings.host.cpu_queue = 2;
  const auto missed = [&](double rate) {
    return missed_share(queries, settings, arrival_times(ArrivalKind::kPoisson, rate, 0.5, 24),
                        10'000);
  };
  EXPECT_LT(missed(470'000), 0.01);
  EXPECT_GT(missed(530'000), 0.01);
}

// Three callers that never sleep leave two of five processors to four CPU threads.
TEST(Simulator, CpuThreadsTakeTheProcessorsThatAreLeft) {
  const std::vector<SimulatedQuery> queries{query_of(100)};
  SimulatorSettings settings = settings_of(4);
  settings.host.processors = 5;
  settings.host.callers = 3;
  const auto missed = [&](double rate) {
    return missed_share(queries, settings, arrival_times(ArrivalKind::kPoisson, rate, 2, 21),
                        20'000);
  };
  EXPECT_LT(missed(18'000), 0.01);
  EXPECT_GT(missed(22'000), 0.01);
}

// Queries that suit either processor: both together carry more than either alone, and more than
// each query on the better one alone where most suit the same one.
TEST(Simulator, BothTogetherCarryMore) {
  std::mt19937_64 random = test::generator(880);
  std::vector<SimulatedQuery> queries;
  for (int i = 0; i < 1'000; ++i) {
    const auto size = static_cast<float>(1 + random() % 100);
    queries.push_back(query_of(4 * size, 50 + size, 2 * size, 50));
  }
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 14'000, 10, 14);
  const auto missed = [&](Placement placement) {
    SimulatorSettings settings = settings_of(2);
    settings.placement.placement = placement;
    return summarise_load(simulate_load(queries, arrivals, settings), arrivals, 50'000)
        .missed_share;
  };
  EXPECT_GT(missed(Placement::kCpuOnly), 0.2);
  EXPECT_GT(missed(Placement::kGpuOnly), 0.2);
  EXPECT_LT(missed(Placement::kBoth), 0.01);
}

// What runs take corrects predictions, as it does for the scheduler: with predictions that are
// three times too large or too small, about as many queries run on each processor as with true
// ones.
TEST(Simulator, PredictionsAreCorrectedByWhatRunsTake) {
  std::mt19937_64 random = test::generator(882);
  std::vector<SimulatedQuery> queries;
  for (int i = 0; i < 1'000; ++i) {
    const auto size = static_cast<float>(1 + random() % 100);
    queries.push_back(query_of(size, 50 + size / 2, size / 2, 50));
    queries.back().query_class = i % 2;
  }
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 60'000, 2, 22);
  const auto share_on_gpu = [&](float cpu, float gpu) {
    std::vector<SimulatedQuery> predicted = queries;
    for (SimulatedQuery& query : predicted) {
      query.predicted.cpu *= cpu;
      query.predicted.gpu_alone *= gpu;
      query.predicted.gpu_share *= gpu;
      query.predicted.gpu_base *= gpu;
    }
    const LoadSummary summary =
        summarise_load(simulate_load(predicted, arrivals, settings_of(2)), arrivals, kNever);
    return static_cast<double>(summary.on_gpu) / static_cast<double>(summary.arrivals);
  };
  const double expected = share_on_gpu(1, 1);
  EXPECT_NEAR(share_on_gpu(3, 1), expected, 0.04);
  EXPECT_NEAR(share_on_gpu(1 / 3.0F, 1), expected, 0.04);
  // Batches of few jobs correct nothing.
  EXPECT_NEAR(share_on_gpu(1, 1 / 3.0F), expected, 0.12);
}

// Costs as of a large collection: a few microseconds a query in a batch; on the CPU half of the
// queries take about ten, and the mean is above a millisecond. Predictions are off by a half.
TEST(Simulator, BothTogetherCarryMoreThanAFarFasterGpuAlone) {
  std::mt19937_64 random = test::generator(881);
  std::normal_distribution<double> normal;
  std::vector<SimulatedQuery> queries;
  for (int i = 0; i < 2'000; ++i) {
    const double size = std::exp(2.0 * normal(random));
    const auto cpu = static_cast<float>(i % 2 == 0 ? 10 * size : 200 * size);
    const auto share = static_cast<float>(3 + 1.5 * std::sqrt(size));
    SimulatedQuery query = query_of(cpu, 45 + 3 * share, share, 90);
    query.predicted.cpu *= static_cast<float>(std::exp(0.5 * normal(random)));
    queries.push_back(query);
  }
  const auto summary = [&](Placement placement, double rate, double seconds = 1) {
    SimulatorSettings settings = settings_of(12);
    settings.placement.placement = placement;
    settings.options.deadline = std::chrono::milliseconds(100);
    settings.options.overload = OverloadPolicy::kRefuse;
    const auto arrivals = arrival_times(ArrivalKind::kPoisson, rate, seconds, 18);
    return summarise_load(simulate_load(queries, arrivals, settings), arrivals, 100'000);
  };
  const double most = 1e6 / 5.5;  // queries a second of large batches, about
  const LoadSummary idle = summary(Placement::kBoth, 1'000, 10);
  const LoadSummary idle_gpu = summary(Placement::kGpuOnly, 1'000, 10);
  EXPECT_LT(idle.mean, idle_gpu.mean);
  EXPECT_LT(idle.p99, 1.2 * idle_gpu.p99);
  EXPECT_GT(summary(Placement::kGpuOnly, 1.3 * most).missed_share, 0.01);
  EXPECT_LT(summary(Placement::kBoth, 1.3 * most).missed_share, 0.01);
}

// A huge query in a thousand hardly delays the others.
TEST(Simulator, AHugeQueryHoldsNobodyUp) {
  std::vector<SimulatedQuery> queries(999, query_of(2'000, 60, 10, 50));
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 20'000, 5, 15);
  const auto p99 = [&] {
    auto outcomes = simulate_load(queries, arrivals, settings_of(4));
    std::vector<LoadOutcome> others;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (i % queries.size() != 500) others.push_back(outcomes[i]);
    }
    return summarise_load(others, arrivals, kNever).p99;
  };
  const double without = p99();
  queries[500] = query_of(80'000, 4'000, 3'900, 50);
  EXPECT_LT(p99(), 1.1 * without);
}

TEST(Simulator, TheSameInputsGiveTheSameOutcomes) {
  const std::vector<SimulatedQuery> queries{query_of(50, 60, 10, 50), query_of(20)};
  const auto arrivals = arrival_times(ArrivalKind::kBursts, 30'000, 1, 16);
  const auto one = simulate_load(queries, arrivals, settings_of(2));
  const auto other = simulate_load(queries, arrivals, settings_of(2));
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].latency, other[i].latency);
    ASSERT_EQ(one[i].end, JobEnd::kComplete);
    ASSERT_GE(one[i].latency, 0);
  }
  EXPECT_TRUE(simulate_load(queries, {}, settings_of(2)).empty());
}

}  // namespace
}  // namespace warpdex::tools
