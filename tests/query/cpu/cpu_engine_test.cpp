// CpuEngine as programs use it: answers complete and in order whatever the threads and the sizes,
// settings of each query, several batches at once, callers on several threads, failures.
#include "warpdex/query/cpu/cpu_engine.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

class CpuEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    test::CollectionMaker maker(random_, 2'000);
    collection_ = maker.make();
    test::write_index(collection_, {CodecKind::kBitpack, 1}, folder_ / "index");
    index_.emplace(Index::open(folder_ / "index"));
    for (std::uint64_t i = 0; i < 33; ++i) {
      queries_.push_back(test::random_query(random_, maker.vocabulary(), i % 7));
      plans_.push_back(plan_query(*index_, queries_.back()));
    }
  }

  /// Settings that differ from query to query.
  std::vector<SearchSettings> draw_settings() {
    std::vector<SearchSettings> settings;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      settings.push_back(test::settings_of(test::kAllModes[random_() % 3],
                                           1 + static_cast<std::uint32_t>(random_() % 300)));
      settings.back().count = random_() % 2 == 0;
    }
    return settings;
  }

  void judge(const BatchAnswers& answers, std::span<const SearchSettings> settings) const {
    ASSERT_LE(answers.size(), queries_.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const SearchSettings& wanted = settings[settings.size() == 1 ? 0 : i];
      const test::Truth truth = test::find_truth(collection_, queries_[i], wanted);
      EXPECT_TRUE(answers[i].is_answered);
      EXPECT_EQ(test::judge(truth, answers.result(i), wanted), "") << "query " << i;
    }
  }

  Random random_ = test::generator(810);
  Collection collection_;
  test::TemporaryFolder folder_;
  std::optional<Index> index_;
  std::vector<Query> queries_;
  std::vector<PlannedQuery> plans_;
};

TEST_F(CpuEngineTest, AnswersAreCompleteAndInOrder) {
  for (std::size_t threads = 1; threads <= 5; ++threads) {
    CpuEngine engine(*index_, {.threads = threads});
    for (const std::size_t size : {0, 1, 2, 31, 32, 33}) {
      const std::vector<SearchSettings> settings = draw_settings();
      const auto plans = std::span<const PlannedQuery>(plans_).first(size);
      const BatchAnswers answers = engine.run(plans, std::span(settings).first(size));
      ASSERT_EQ(answers.size(), size);
      judge(answers, std::span(settings).first(size));
      const SearchSettings one = settings[0];
      judge(engine.run(plans, one), std::span(&one, 1));
    }
  }
}

TEST_F(CpuEngineTest, ThreadsThatSleptAnswerTheNextBatch) {
  CpuEngine engine(*index_, {.threads = 3, .spin = std::chrono::microseconds(0)});
  for (int round = 0; round < 20; ++round) {
    const std::vector<SearchSettings> settings = draw_settings();
    judge(engine.run(plans_, settings), settings);
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
  }
}

TEST_F(CpuEngineTest, SeveralBatchesAreUnderWayAtOnce) {
  CpuEngine engine(*index_, {.threads = 2});
  std::vector<std::vector<SearchSettings>> settings;
  std::vector<Ticket> tickets;
  for (int batch = 0; batch < 20; ++batch) {
    settings.push_back(draw_settings());
    tickets.push_back(engine.submit(plans_, settings.back()));
  }
  for (std::size_t batch = tickets.size(); batch-- > 0;) {  // any order will do
    while (batch % 2 == 0 && !engine.poll(tickets[batch])) std::this_thread::yield();
    judge(engine.wait(tickets[batch]), settings[batch]);
    EXPECT_THROW(engine.poll(tickets[batch]), UsageError);
    EXPECT_THROW(engine.wait(tickets[batch]), UsageError);
  }
}

TEST_F(CpuEngineTest, SeveralThreadsUseIt) {
  CpuEngine engine(*index_, {.threads = 2});
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        judge(engine.run(plans_, settings), std::span(&settings, 1));
      }
    });
  }
}

TEST_F(CpuEngineTest, RefusesWhatIsOutOfRangeAndStaysUsable) {
  CpuEngine engine(*index_, {.threads = 2});
  EXPECT_THROW(engine.wait(Ticket{0}), UsageError);
  EXPECT_THROW(engine.poll(Ticket{7}), UsageError);
  EXPECT_THROW(engine.run(plans_, test::settings_of(QueryMode::kOr, 0)), UsageError);
  EXPECT_THROW(engine.run(plans_, std::vector<SearchSettings>(2)), UsageError);
  EXPECT_THROW(engine.run(plans_, std::vector<SearchSettings>()), UsageError);
  SearchSettings bad = test::settings_of(QueryMode::kOr, 10);
  bad.scorer.kind = ScorerKind::kImpact;  // of an index of frequencies: found out by the search
  EXPECT_THROW(engine.run(plans_, bad), UsageError);
  const SearchSettings good = test::settings_of(QueryMode::kOr, 10);
  judge(engine.run(plans_, good), std::span(&good, 1));
}

TEST_F(CpuEngineTest, GoesWhileBatchesAreUnderWay) {
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 100);
  for (int round = 0; round < 20; ++round) {
    CpuEngine engine(*index_, {.threads = 2});
    for (int batch = 0; batch < 5; ++batch) engine.submit(plans_, std::span(&settings, 1));
  }
}

}  // namespace
}  // namespace warpdex
