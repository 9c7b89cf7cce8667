// Rows of terms: threads share them, they stay within the room that they have on the host and on
// the GPU, and start over where that is too little. Needs no GPU.
#include "gpu/batch/term_rows.hpp"

#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tests/query/gpu/batch/joined_snapshot_support.hpp"

namespace warpdex::gpu {
namespace {

using TermRowsTest = JoinedSnapshotTest;

// Segments number their terms apart, and each query numbers its own.
TEST(TermRowsKeys, AreThoseOfTheTerms) {
  const auto term_of = [](std::uint32_t in_segment, std::uint32_t in_query) {
    PlannedTerm term;
    term.entry.term_number = in_segment;
    term.number = in_query;
    return term;
  };
  PlannedQuery plan;  // of a term of segments 0 and 2, and one of segments 1 and 2
  plan.terms = {term_of(0, 0), term_of(0, 1)};
  plan.segments.resize(3);
  plan.segments[0].terms = {term_of(5, 0)};
  plan.segments[1].terms = {term_of(5, 1)};
  plan.segments[2].terms = {term_of(7, 1), term_of(6, 0)};
  PlannedQuery other;  // of the second of these alone
  other.terms = {term_of(0, 0)};
  other.segments.resize(3);
  other.segments[1].terms = {term_of(5, 0)};
  other.segments[2].terms = {term_of(7, 0)};
  const std::uint64_t first = TermRows::key_of(plan, plan.terms[0]);
  const std::uint64_t second = TermRows::key_of(plan, plan.terms[1]);
  EXPECT_NE(first, second);
  EXPECT_EQ(TermRows::key_of(other, other.terms[0]), second);
}

// Several threads ask for the same terms at once.
TEST_P(TermRowsTest, ThreadsShareRows) {
  const test::LivingLog log = make_log(300);
  const PlacedSegments segments(joined_->all);
  Rows memory;
  TermRows rows(memory.view());
  rows.open();
  std::vector<std::vector<const TermList*>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        for (const PlannedQuery& plan : log.plans) {
          for (const PlannedTerm& term : plan.terms) {
            const std::uint64_t key = TermRows::key_of(plan, term);
            std::optional<TermRow> row = rows.find(key);
            if (!row) row = rows.add(key, segments, plan.segments, term);
            found[i].push_back(row.value().lists);
          }
        }
      });
    }
  }
  EXPECT_GT(found[0].size(), 300U);
  for (const auto& own : found) EXPECT_EQ(own, found[0]);
}

/// Asks for the rows of all terms. Returns how many found no room.
std::size_t ask_for_all(TermRows& rows, const PlacedSegments& segments,
                        std::span<const PlannedQuery> plans) {
  std::size_t refused = 0;
  for (const PlannedQuery& plan : plans) {
    for (const PlannedTerm& term : plan.terms) {
      const std::uint64_t key = TermRows::key_of(plan, term);
      if (!rows.find(key) && !rows.add(key, segments, plan.segments, term)) ++refused;
    }
  }
  return refused;
}

TEST_P(TermRowsTest, RowsStayWithinTheirBytesAndStartOver) {
  constexpr std::size_t kBytes = 20'000;
  const test::LivingLog log = make_log(300);
  const PlacedSegments segments(joined_->all);
  Rows memory;
  TermRows rows(memory.view(), kBytes);
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_FALSE(rows.starts_over());
    rows.open();
    EXPECT_EQ(rows.bytes(), 0U);  // the batch before found no room
    EXPECT_EQ(rows.starts_over(), batch > 0);
    EXPECT_GT(ask_for_all(rows, segments, log.plans), 0U);
    EXPECT_LE(rows.bytes(), kBytes);
    EXPECT_GT(rows.bytes(), kBytes / 2);
    EXPECT_EQ(rows.fresh_begin(), 0U);
    EXPECT_FALSE(rows.fresh().empty());
    memory.upload(rows);
  }
}

// Rows that start over do so until they are uploaded, with those of later batches behind them.
TEST_P(TermRowsTest, RowsStartOverUntilTheyAreUploaded) {
  const test::LivingLog log = make_log(300);
  const PlacedSegments segments(joined_->all);
  Rows memory;
  TermRows rows(memory.view(), 100'000);
  rows.open();
  EXPECT_GT(ask_for_all(rows, segments, log.plans), 0U);
  memory.upload(rows);
  std::size_t bytes = 0;
  for (std::size_t batch = 0; batch < 3; ++batch) {
    rows.open();
    EXPECT_TRUE(rows.starts_over());
    ask_for_all(rows, segments, std::span(log.plans).subspan(3 * batch, 3));
    EXPECT_EQ(rows.fresh_begin(), 0U);
    EXPECT_GT(rows.fresh().size(), bytes);
    bytes = rows.fresh().size();
  }
  memory.upload(rows);
  rows.open();
  EXPECT_FALSE(rows.starts_over());
  ask_for_all(rows, segments, std::span(log.plans).subspan(9, 3));
  EXPECT_EQ(rows.fresh_begin(), bytes);
}

// Terms have their rows on the host, whatever room the GPU has.
TEST_P(TermRowsTest, RowsWithoutRoomOnTheGpu) {
  const test::LivingLog log = make_log(300);
  const PlacedSegments segments(joined_->all);
  for (const std::size_t bytes : {0, 960, 20'016}) {
    Rows memory(bytes);
    TermRows rows(memory.view());
    rows.open();
    EXPECT_EQ(ask_for_all(rows, segments, log.plans), 0U);
    std::size_t on_gpu = 0;
    std::size_t on_host = 0;
    for (const PlannedQuery& plan : log.plans) {
      for (const PlannedTerm& term : plan.terms) {
        const TermRow row = rows.find(TermRows::key_of(plan, term)).value();
        ++(row.on_gpu == nullptr ? on_host : on_gpu);
      }
    }
    EXPECT_GT(on_host, 0U);
    EXPECT_EQ(on_gpu > 0, bytes > 960) << bytes;
    EXPECT_LE(rows.fresh().size(), bytes);
    EXPECT_EQ(rows.fresh().empty(), on_gpu == 0);
    rows.open();
    EXPECT_FALSE(rows.starts_over());  // the host has room
    EXPECT_GT(rows.bytes(), 0U);
  }
}

TEST_P(TermRowsTest, RowsWithRoomStay) {
  const test::LivingLog log = make_log(300);
  const PlacedSegments segments(joined_->all);
  Rows memory;
  TermRows rows(memory.view());
  rows.open();
  EXPECT_EQ(ask_for_all(rows, segments, log.plans), 0U);
  const std::size_t bytes = rows.bytes();
  rows.open();
  EXPECT_EQ(rows.bytes(), bytes);
}

TEST_P(TermRowsTest, ARowTooLargeAloneLeavesTheRoomToOthers) {
  const test::LivingLog log = make_log(40);
  const PlacedSegments segments(joined_->all);
  std::size_t smallest = TermRows::kMaxBytes;
  std::size_t largest = 0;
  for (const PlannedQuery& plan : log.plans) {
    for (const PlannedTerm& term : plan.terms) {
      Rows memory;
      TermRows alone(memory.view());
      alone.open();
      ASSERT_TRUE(alone.add(TermRows::key_of(plan, term), segments, plan.segments, term));
      smallest = std::min(smallest, alone.bytes());
      largest = std::max(largest, alone.bytes());
    }
  }
  ASSERT_LT(smallest, largest);
  Rows memory;
  TermRows rows(memory.view(), smallest);  // has room for one of the smallest
  rows.open();
  EXPECT_GT(ask_for_all(rows, segments, log.plans), 0U);
  EXPECT_EQ(rows.bytes(), smallest);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TermRowsTest, testing::ValuesIn(kJoinedKinds));

}  // namespace
}  // namespace warpdex::gpu
