// Each rule of the choice between the processors, on both sides of its bound.
#include "queues/lane_choice.hpp"

#include <gtest/gtest.h>

#include "tests/scheduler/stub_work.hpp"

namespace warpdex {
namespace {

class LaneChoice : public testing::Test {
 protected:
  Lane lane(const JobCost& cost) {
    job_.cost = cost;
    return choose_lane(job_, load_, settings_, kNow);
  }

  static constexpr Micros kNow = 7'000;
  test::StubWork work_{4};
  test::StubJob job_{work_};
  QueueLoad load_;
  PlacementSettings settings_;
};

// Costs are: CPU, GPU alone, share of a batch.

TEST_F(LaneChoice, AHugeJobHasALaneOfItsOwnOnTheGpu) {
  settings_.huge_work = 500;
  EXPECT_EQ(lane({1e6F, 600, 500, true}), Lane::kGpu);
  EXPECT_EQ(lane({1e6F, 600, 501, true}), Lane::kHuge);
  EXPECT_EQ(lane({10, 600, 501, true}), Lane::kCpu);
}

TEST_F(LaneChoice, GpuOnlyTakesWhatIsShort) {
  const JobCost short_job{1, 600, 300, true};
  EXPECT_EQ(lane(short_job), Lane::kCpu);
  settings_.placement = Placement::kGpuOnly;
  EXPECT_EQ(lane(short_job), Lane::kGpu);
}

TEST_F(LaneChoice, TheBetterProcessorAloneIsThatWhateverTheLoad) {
  settings_.placement = Placement::kBetterAlone;
  for (const Micros wait : {0.0, 1e6}) {
    load_ = {.wait = {.cpu = 0, .gpu = wait}, .busy_cpu = 1, .gpu_jobs = 1'000};
    EXPECT_EQ(lane({100, 60, 20, true, 40, 0.7F}), Lane::kGpu);
    EXPECT_EQ(lane({100, 60, 20, true, 40, 0.5F}), Lane::kCpu);  // 50 us on an idle CPU
  }
}

TEST_F(LaneChoice, TheGpuGetsWhatTheCpuMayNotFinishInTime) {
  load_.wait = {.cpu = 300, .gpu = 1e6};
  job_.deadline = kNow + 300 + 101;
  EXPECT_EQ(lane({100, 60, 20, true}), Lane::kCpu);
  job_.deadline = kNow + 300 + 99;
  EXPECT_EQ(lane({100, 60, 20, true}), Lane::kGpu);
}

TEST_F(LaneChoice, AFreeThreadTakesWhatItEndsBeforeAnIdleGpuWould) {
  load_.gpu_jobs = 1'000;  // so the GPU's part of the work would be next to nothing
  EXPECT_EQ(lane({61, 60, 0.5F, true}), Lane::kGpu);
  EXPECT_EQ(lane({59, 60, 0.5F, true}), Lane::kCpu);
  load_.wait.cpu = 1;
  EXPECT_EQ(lane({59, 60, 0.5F, true}), Lane::kGpu);
}

// How busy the CPU is says which of its two predictions counts.
TEST_F(LaneChoice, ABusyCpuIsSlower) {
  const JobCost cost{100, 60, 20, true, 40, 0.2F};  // 20 us on an idle CPU
  for (const auto& [busy, wanted] :
       {std::pair(0.0F, Lane::kCpu), {0.3F, Lane::kCpu}, {0.6F, Lane::kGpu}, {1.0F, Lane::kGpu}}) {
    load_.busy_cpu = busy;  // 20, 44, 68, 100 us
    EXPECT_EQ(lane(cost), wanted) << busy;
  }
}

// Three times the prediction against the time of a batch and a quarter of the wait for the GPU.
TEST_F(LaneChoice, ARunThatMayBecomeLongGoesToTheGpu) {
  settings_.batch_min_work = 1'000;
  load_ = {.wait = {.cpu = 1, .gpu = 2'000}, .busy_cpu = 1, .gpu_jobs = 100};
  EXPECT_EQ(lane({501, 60, 50, true}), Lane::kGpu);
  EXPECT_EQ(lane({499, 60, 50, true}), Lane::kCpu);
  // Alone on the GPU it takes longer than a batch.
  EXPECT_EQ(lane({1'668, 4'500, 50, true}), Lane::kGpu);
  EXPECT_EQ(lane({1'665, 4'500, 50, true}), Lane::kCpu);
}

TEST_F(LaneChoice, NoRunThatMayBecomeLongGoesToAGpuThatIsTooLate) {
  settings_.batch_min_work = 1'000;
  load_ = {.wait = {.cpu = 0, .gpu = 90'000}, .busy_cpu = 1, .gpu_jobs = 100};
  const JobCost cost{10'000, 200, 50, true};
  EXPECT_EQ(lane(cost), Lane::kGpu);
  job_.deadline = kNow + 90'200;
  EXPECT_EQ(lane(cost), Lane::kGpu);
  job_.deadline = kNow + 90'199;
  EXPECT_EQ(lane(cost), Lane::kCpu);
}

// The GPU's wait is 9 times the CPU's, so a job must gain 9 times the work there.
TEST_F(LaneChoice, TheThresholdIsTheRatioOfTheWaits) {
  settings_.batch_min_work = 1e6F;
  load_ = {.wait = {.cpu = 50, .gpu = 850}, .busy_cpu = 1, .gpu_jobs = 3};
  // The job's work on the GPU is 20 and a quarter of the other 40 us: 30.
  EXPECT_EQ(lane({271, 60, 20, true}), Lane::kGpu);
  EXPECT_EQ(lane({269, 60, 20, true}), Lane::kCpu);
  load_.gpu_jobs = 0;  // 60
  EXPECT_EQ(lane({271, 60, 20, true}), Lane::kCpu);
  EXPECT_EQ(lane({541, 60, 20, true}), Lane::kGpu);
}

TEST_F(LaneChoice, DeadlinesThatCannotBeMetAreKnown) {
  job_.cost = {1e6F, 42, 2, true, 40};
  job_.deadline = 1'000;
  const auto can_meet = [&](const Waits& waits, Placement placement) {
    return can_meet_deadline(job_, waits, placement, 0);
  };
  EXPECT_TRUE(can_meet({.cpu = 1e9, .gpu = 900}, Placement::kBoth));
  EXPECT_FALSE(can_meet({.cpu = 0, .gpu = 990}, Placement::kBoth));
  EXPECT_FALSE(can_meet({.cpu = 0, .gpu = 0}, Placement::kCpuOnly));
  job_.deadline = kNever;
  EXPECT_TRUE(can_meet({.cpu = 1e9, .gpu = 1e9}, Placement::kBoth));
}

// Only processors count that the job may go to.
TEST_F(LaneChoice, ADeadlineIsMetWhereTheJobMayGo) {
  job_.deadline = 1'000;
  const auto can_meet = [&](const Waits& waits, Placement placement) {
    return can_meet_deadline(job_, waits, placement, 0);
  };
  const Waits cpu_is_free{.cpu = 0, .gpu = 1e6};
  const Waits gpu_is_free{.cpu = 1e6, .gpu = 0};
  job_.cost = {100, 60, 20, true};
  EXPECT_TRUE(can_meet(cpu_is_free, Placement::kBoth));
  EXPECT_FALSE(can_meet(cpu_is_free, Placement::kGpuOnly));
  EXPECT_FALSE(can_meet(cpu_is_free, Placement::kBetterAlone));  // on the GPU
  EXPECT_TRUE(can_meet(gpu_is_free, Placement::kBetterAlone));
  job_.cost.gpu_alone = 200;
  EXPECT_TRUE(can_meet(cpu_is_free, Placement::kBetterAlone));
  EXPECT_FALSE(can_meet(gpu_is_free, Placement::kBetterAlone));
  job_.cost.gpu_can = false;
  EXPECT_TRUE(can_meet(cpu_is_free, Placement::kGpuOnly));
  EXPECT_FALSE(can_meet(gpu_is_free, Placement::kGpuOnly));
}

}  // namespace
}  // namespace warpdex
