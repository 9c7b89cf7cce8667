// The loads of warpdex load, without the program.
#include "load_measure.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "load_mix.hpp"
#include "tests/tools/collection.hpp"

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

}  // namespace
}  // namespace warpdex::test
