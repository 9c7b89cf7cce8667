// Rows of terms on the GPU: they start over while batches in other lanes read them, and answers do
// not depend on how many have room.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "gpu/batch/term_rows.hpp"
#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/run/segment_engine.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kRowQueries = 400;  // of a batch

/// An index of some segments, on the GPU, and its log.
struct RowsIndex {
  explicit RowsIndex(std::size_t batches) : living(896, CodecKind::kPfor, false, 2'000) {
    for (int i = 1; i < 9; ++i) {
      living.add_some(1 + living.below(300));
      living.commit();
    }
    living.remove_share(10);
    living.commit();
    joined = uploaded.open(living).state().joined;
    snapshot = std::make_unique<Snapshot>(Snapshot::open(living.index()));
    log = std::make_unique<test::LivingLog>(living, *snapshot, batches * kRowQueries);
  }
  std::span<const PlannedQuery> plans(std::size_t batch) const {
    return std::span(log->plans).subspan(batch * kRowQueries, kRowQueries);
  }
  std::span<const SearchSettings> settings(std::size_t batch) const {
    return std::span(log->settings).subspan(batch * kRowQueries, kRowQueries);
  }
  /// Bytes on the host that a batch's rows take at least.
  std::size_t row_bytes(std::size_t batch) const {
    std::set<std::uint64_t> keys;
    for (const PlannedQuery& plan : plans(batch)) {
      for (const PlannedTerm& term : plan.terms) keys.insert(gpu::TermRows::key_of(plan, term));
    }
    return keys.size() * snapshot->segments().size() * sizeof(gpu::TermList);
  }

  test::Living living;
  test::Uploaded uploaded;
  std::shared_ptr<const gpu::JoinedSegments> joined;
  std::unique_ptr<Snapshot> snapshot;
  std::unique_ptr<test::LivingLog> log;
};

/// Answers all batches, three at a time, and compares with the CPU.
void expect_batches_as_cpu(RowsIndex& index, gpu::SegmentEngine& engine, std::size_t batches) {
  constexpr std::size_t kUnderWay = 3;
  std::vector<Ticket> tickets;
  for (std::size_t next = 0; next < batches + kUnderWay; ++next) {
    if (next >= kUnderWay) {
      const std::size_t done = next - kUnderWay;
      test::expect_right(*index.snapshot, *index.log, done * kRowQueries,
                         engine.wait(tickets[done]));
      ASSERT_FALSE(testing::Test::HasFailure()) << "batch " << done;
    }
    if (next >= batches) continue;
    tickets.push_back(
        engine.submit(gpu::SegmentPlans::of_all(index.plans(next)), index.settings(next)));
  }
}

// No batch finds room for all of its terms, so each starts over.
TEST(GpuDeviceRows, StartOverWhileBatchesAreUnderWay) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kBatches = 12;
  constexpr std::size_t kRowBytes = 250'000;  // of most terms
  RowsIndex index(kBatches);
  for (std::size_t i = 0; i < kBatches; ++i) ASSERT_GT(index.row_bytes(i), kRowBytes);
  gpu::SegmentEngine engine(*index.joined, {.max_batches = 3}, kRowBytes);
  expect_batches_as_cpu(index, engine, kBatches);
}

// With little memory for rows, or none, batches send the lists of other terms.
TEST(GpuDeviceRows, AnswersDoNotDependOnTheirRoom) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kBatches = 4;
  RowsIndex index(kBatches);
  MemoryBudget& budget = *index.joined->row_budget;
  for (const std::size_t room : {0, 1'000, 50'000}) {
    const Reservation others(budget, budget.left() - room);
    gpu::SegmentEngine engine(*index.joined, {.max_batches = 3});
    EXPECT_EQ(budget.left(), 0U);
    expect_batches_as_cpu(index, engine, kBatches);
  }
}

TEST(GpuDeviceRows, AllEnginesTogetherKeepWithinTheirShare) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kMinScratch = std::size_t{128} << 20;
  const RowsIndex index(1);
  const gpu::JoinedSegments& joined = *index.joined;
  EXPECT_EQ(joined.row_budget->limit(), (joined.scratch - kMinScratch) / 16);
  const std::size_t used = joined.budget->used();
  std::vector<std::unique_ptr<gpu::DeviceRows>> all;
  std::size_t sum = 0;
  do {
    all.push_back(std::make_unique<gpu::DeviceRows>(joined));
    sum += all.back()->memory().bytes;
  } while (all.back()->memory().bytes > 0);
  EXPECT_EQ(sum, joined.row_budget->limit());
  EXPECT_EQ(joined.budget->used(), used + sum);
  EXPECT_EQ(joined.scratch_share(), joined.scratch - sum);
  all.clear();
  EXPECT_EQ(joined.budget->used(), used);
}

}  // namespace
}  // namespace warpdex
