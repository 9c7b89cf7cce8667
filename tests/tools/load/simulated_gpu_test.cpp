// How simulated batches overlap.
#include "load/simulated_gpu.hpp"

#include <gtest/gtest.h>

#include "tests/scheduler/stub_work.hpp"

namespace warpdex::tools {
namespace {

class SimulatedGpuTest : public testing::Test {
 protected:
  SimulatedBatch batch(Micros start, bool is_huge = false) {
    return {.jobs = {&job_}, .claim = {.work = 0, .is_huge = is_huge}, .start = start};
  }

  test::StubWork work_{4};
  test::StubJob job_{work_};
};

// Each blocks the next one for 0.6 of its time, so with always two under way one ends each 60 us.
TEST_F(SimulatedGpuTest, ABatchBlocksTheNextForAPartOfItsTime) {
  SimulatedGpu gpu(0.6);
  EXPECT_EQ(gpu.start(batch(0), 10, 100).end, 110);
  const SimulatedGpu::Started second = gpu.start(batch(10), 20, 100);
  EXPECT_EQ(second.end, 70 + 100);
  EXPECT_EQ(gpu.start(batch(20), 500, 100).end, 600);  // built long after the GPU is free
}

// Where two batches together take no longer than one, neither of the two took longer than that.
TEST_F(SimulatedGpuTest, WhereBatchesOverlapWellEachIsSooner) {
  SimulatedGpu gpu(0.25);
  EXPECT_EQ(gpu.start(batch(0), 0, 100).end, 50);
  EXPECT_EQ(gpu.start(batch(0), 0, 100).end, 25 + 50);
}

TEST_F(SimulatedGpuTest, HugeQueriesWaitOnlyForEachOther) {
  SimulatedGpu gpu(1);
  EXPECT_EQ(gpu.start(batch(0, true), 0, 5'000).end, 5'000);
  EXPECT_EQ(gpu.start(batch(0), 0, 100).end, 100);
  EXPECT_EQ(gpu.start(batch(0, true), 0, 5'000).end, 10'000);
}

TEST_F(SimulatedGpuTest, ABatchCountsFromTheEndOfTheLast) {
  SimulatedGpu gpu(1);
  const std::size_t first = gpu.start(batch(0), 0, 100).place;
  const std::size_t second = gpu.start(batch(30), 30, 100).place;
  EXPECT_NE(first, second);
  const SimulatedGpu::Ended one = gpu.end(first, 100);
  EXPECT_EQ(one.took, 100);
  EXPECT_FALSE(one.batch.is_alone);
  EXPECT_EQ(one.batch.jobs, std::vector<Job*>{&job_});
  const SimulatedGpu::Ended two = gpu.end(second, 200);
  EXPECT_EQ(two.took, 100);
  EXPECT_FALSE(two.batch.is_alone);
  const SimulatedGpu::Started third = gpu.start(batch(250), 260, 100);
  EXPECT_EQ(third.place, first);  // which is free again
  const SimulatedGpu::Ended three = gpu.end(third.place, 360);
  EXPECT_EQ(three.took, 110);
  EXPECT_TRUE(three.batch.is_alone);
}

}  // namespace
}  // namespace warpdex::tools
