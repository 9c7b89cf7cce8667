// Merges on a thread of the writer's: what comes and goes meanwhile, what is given up, and errors.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "living/merge_policy.hpp"
#include "tests/indexer/living/living_fixture.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using test::LivingIndexTest;
using test::one_thread;
using test::reader_of;
using test::Texts;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr BackgroundMergeOptions kOneThread{kMinBuildMemory, 1};

/// An index of as many segments of like sizes as are merged together.
class BackgroundMergeTest : public LivingIndexTest {
 protected:
  /// So many documents in each segment.
  void build_tier(std::size_t documents) {
    build(more(documents));
    LivingIndex index(index_);
    for (std::size_t i = 1; i < kTier; ++i) index.add(*reader_of(more(documents)), one_thread());
    index.commit();
  }

  /// New documents.
  Texts more(std::size_t documents) {
    Texts texts;
    for (; documents > 0; --documents) {
      const std::string number = std::to_string(live_.size() + gone_);
      live_.push_back("d" + number);
      texts.emplace_back(live_.back(), "all odd" + number);
    }
    return texts;
  }

  void remove(LivingIndex& index, const std::string& name) {
    EXPECT_TRUE(index.remove(name)) << name;
    EXPECT_FALSE(index.remove(name)) << name;
    std::erase(live_, name);
    ++gone_;
  }

  /// What was committed is `live_`, in so many segments.
  void expect_live(std::size_t segments) const {
    EXPECT_EQ(names(), live_);
    const Snapshot snapshot = Snapshot::open(index_);
    EXPECT_EQ(snapshot.segments().size(), segments);
    EXPECT_EQ(snapshot.statistics().documents, live_.size());
    EXPECT_EQ(snapshot.statistics().tokens, 2 * live_.size());
    const VerifyReport report = verify_index(index_);
    EXPECT_TRUE(report.ok()) << report.problems[0];
  }

  std::vector<std::string> live_;
  std::size_t gone_ = 0;
};

// Some are removed before the merge begins, some while it runs or right after, in the commit that
// it comes in with and in one before.
TEST_F(BackgroundMergeTest, WhatIsRemovedMeanwhileStaysRemoved) {
  std::mt19937_64 random = test::generator(93);
  for (const std::size_t documents : {1U, 31U, 63U, 64U, 65U, 128U, 2000U}) {
    live_.clear();
    build_tier(documents);
    LivingIndex index(index_);
    const auto remove_some = [&](std::size_t count) {
      for (; count > 0 && live_.size() > 1; --count) {
        const std::string name = live_[random() % live_.size()];
        remove(index, name);
      }
    };
    remove_some(documents / 8);
    index.commit();
    remove_some(documents / 8);
    index.merge_in_background(kOneThread);
    remove_some(documents / 8 + 1);
    index.commit();
    expect_live(Snapshot::open(index_).segments().size());
    remove_some(documents / 8);
    index.finish_merges();
    remove_some(1);
    index.commit();
    expect_live(1);
    index.add(*reader_of(more(3)), one_thread());
    index.commit();
    expect_live(2);
    index.merge({.all = true});
    index.commit();
    expect_live(1);
  }
}

TEST_F(BackgroundMergeTest, SegmentsMayGoMeanwhile) {
  build_tier(500);
  LivingIndex index(index_);
  index.merge_in_background(kOneThread);
  const std::vector<std::string> all = live_;
  for (std::size_t i = 0; i < 500; ++i) remove(index, all[i]);            // the first one
  for (std::size_t i = 0; i < 500; ++i) remove(index, all[i + 3 * 500]);  // and another
  index.commit();
  index.finish_merges();
  index.commit();
  expect_live(1);
}

TEST_F(BackgroundMergeTest, AllMayGoMeanwhile) {
  build_tier(300);
  LivingIndex index(index_);
  index.merge_in_background(kOneThread);
  for (const std::string& name : std::vector<std::string>(live_)) remove(index, name);
  index.commit();
  index.finish_merges();
  index.add(*reader_of(more(1)), one_thread());
  index.commit();
  expect_live(1);
}

// New segments are merged as old ones are, and come into the same commit.
TEST_F(BackgroundMergeTest, TakesWhatIsNotCommittedYet) {
  build(more(1));
  LivingIndex index(index_);
  index.merge_in_background(kOneThread);
  for (std::size_t i = 1; i < kTier + 2; ++i) index.add(*reader_of(more(10)), one_thread());
  index.finish_merges();
  index.commit();
  EXPECT_LT(Snapshot::open(index_).segments().size(), kTier);
  expect_live(Snapshot::open(index_).segments().size());
}

TEST_F(BackgroundMergeTest, ACommitThatFailsEndsIt) {
  build_tier(200);
  {
    LivingIndex index(index_);
    index.merge_in_background(kOneThread);
    const std::vector<std::string> before = live_;
    index.add(*reader_of(more(5)), one_thread());
    remove(index, live_[7]);
    EXPECT_THROW(index.commit([] { throw IoError("no room"); }), IoError);
    live_ = before;
    expect_live(kTier);
    index.finish_merges();
    index.commit();
    expect_live(1);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(BackgroundMergeTest, EndsUndoneWithItsWriter) {
  build_tier(2000);
  LivingIndex(index_).merge_in_background(kOneThread);
  expect_live(kTier);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

// Once, by finish_merges() or by a commit; all other calls do their work.
TEST_F(BackgroundMergeTest, ErrorsAreToldAndNothingIsLost) {
  build_tier(20);
  const fs::path damaged = index_ / segment_file(2);
  std::string bytes = test::read_file(damaged);
  const auto at = bytes.find("odd");
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  test::write_file(damaged, bytes);
  LivingIndex index(index_);
  index.merge_in_background(kOneThread);
  EXPECT_THAT(complaint<FormatError>([&] { index.finish_merges(); }),
              testing::AllOf(HasSubstr("the merge in the background ended"),
                             HasSubstr("restore it or build it again")));
  index.add(*reader_of(more(4)), one_thread());
  index.commit();
  EXPECT_EQ(names(), live_);
  index.merge_in_background(kOneThread);
  CommitReport report;
  for (int i = 0; i < 10'000 && report.notes.empty(); ++i) {
    index.remove("none");
    report = index.commit();
    EXPECT_EQ(report.number, 2U);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_THAT(report.notes, testing::ElementsAre(HasSubstr("the merge in the background ended")));
  index.add(*reader_of(more(1)), one_thread());
  EXPECT_THAT(index.commit().notes, testing::IsEmpty());
  EXPECT_EQ(names(), live_);
  EXPECT_THROW(index.merge_in_background({1, 1}), UsageError);
}

}  // namespace
}  // namespace warpdex
