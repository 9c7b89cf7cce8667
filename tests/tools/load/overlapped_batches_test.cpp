// Batches that overlap are of queries that the engine answers.
#include "load/overlapped_batches.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"
#include "tests/tools/load/two_words.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"

namespace warpdex::tools {
namespace {

TEST(OverlappedBatches, AreOfWhatTheEngineAnswers) {
  const test::TemporaryFolder folder;
  const Snapshot snapshot = test::two_words(folder);
  std::vector<PlannedSearch> queries;
  for (const char* term : {"a", "b", "c"}) {
    queries.push_back({plan_query(snapshot, {"", {{term}}}), {}});
  }
  CostMeasurements measured;
  measured.queries = {{.gpu_alone = 5}, {.gpu_alone = 0}, {.gpu_alone = 7}};
  CpuEngine engine(snapshot, {.threads = 1});
  const MeasureSettings settings{.cpu_threads = 1, .repetitions = 1};
  const MeasuredBatch all = measure_overlapped(engine, queries, measured, settings);
  EXPECT_EQ(all.queries.size(), 8 * kOverlappedBatch);
  EXPECT_GT(all.time, 0);
  for (const std::uint32_t query : all.queries) EXPECT_NE(query, 1U);
  measured.queries = {{}, {}, {}};
  EXPECT_TRUE(measure_overlapped(engine, queries, measured, settings).queries.empty());
}

}  // namespace
}  // namespace warpdex::tools
