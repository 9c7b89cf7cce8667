// The loads of warpdex load, without the program.
#include "load/load_measure.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "load/load_full.hpp"
#include "load/load_mix.hpp"
#include "tests/tools/collection.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"

namespace warpdex::test {
namespace {

class LoadMeasure : public ::testing::Test {
 protected:
  void SetUp() override {
    build_small_index(folder_ / "index");
    snapshot_.emplace(Snapshot::open(folder_ / "index"));
    plan_.classes.resize(1);
    plan_.settings.cpu_threads = 2;
    std::vector<Query> queries;
    for (const char* term : {"red", "apple", "green", "pear", "tree"}) {
      queries.push_back({"", {{term}}});
    }
    tools::add_mixed_queries(*snapshot_, queries, plan_);
  }

  TemporaryFolder folder_;
  std::optional<Snapshot> snapshot_;
  tools::LoadPlan plan_;
};

TEST_F(LoadMeasure, OnTheCpuAloneAllLoadsShareOneWarmUp) {
  plan_.placements = {Placement::kCpuOnly};
  plan_.rates = {1'000, 2'000, 3'000};
  plan_.seconds = 0.05;
  std::size_t warming = 0;
  const tools::OnLoadProgress on_progress = [&](const std::string& what, std::size_t, std::size_t) {
    warming += what == "warming lists" ? 1 : 0;
  };
  tools::LoadEngines engines(*snapshot_, nullptr, plan_, on_progress);
  const std::vector<tools::LoadPoint> points =
      tools::measure_loads(engines, plan_, on_progress, [](double) {});
  EXPECT_EQ(warming, plan_.queries.size());
  ASSERT_EQ(points.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].rate, plan_.rates[i]);
    // A scheduler of its own: it knows only its own queries.
    EXPECT_EQ(points[i].statistics.submitted, points[i].all.arrivals);
    EXPECT_EQ(points[i].statistics.complete_on_cpu, points[i].all.arrivals);
  }
}

TEST_F(LoadMeasure, AFullBatchStartsWhenItsLastQueryIsDue) {
  CpuEngine engine(*snapshot_, {.threads = 2});
  tools::QueryRing ring(plan_, tools::kWholeBatch);
  std::vector<Micros> times;
  for (std::size_t i = 0; i < 2 * tools::kWholeBatch + 7; ++i) {
    times.push_back(20 * static_cast<double>(i));
  }
  std::vector<std::size_t> batches;
  const auto outcomes = tools::run_full_batches(
      engine, ring, times,
      [&](const std::string&, std::size_t first, std::size_t) { batches.push_back(first); });
  EXPECT_EQ(batches, (std::vector<std::size_t>{0, tools::kWholeBatch, 2 * tools::kWholeBatch}));
  ASSERT_EQ(outcomes.size(), times.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].end, JobEnd::kComplete);
    const std::size_t full = (i / tools::kWholeBatch + 1) * tools::kWholeBatch;
    const std::size_t last = std::min(full, times.size()) - 1;
    EXPECT_GE(static_cast<double>(outcomes[i].latency), times[last] - times[i] - 0.1) << i;
  }
}

}  // namespace
}  // namespace warpdex::test
