// GpuIndex and GpuSearcher as programs use them: what they refuse, batches of nothing, several
// searchers and threads over one uploaded index, batches that overlap.
#include "warpdex/query/gpu/gpu_searcher.hpp"

#include <chrono>
#include <thread>

#include "tests/query/gpu_support.hpp"
#include "tests/query/random_engine_inputs.hpp"
#include "tests/query/shaped_lists.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// Bytes of a section's file before its data, and after it (slack and footer): docs/format.md.
constexpr std::size_t kHead = 64;
constexpr std::size_t kTail = 96;

/// A random collection, its index, and queries with their right answers.
class GpuSearcherTest : public testing::Test {
 protected:
  void SetUp() override {
    WARPDEX_NEEDS_GPU();
    test::CollectionMaker maker(random_, 3'000);
    collection_ = maker.make();
    test::write_index(collection_, {CodecKind::kPforBlock, 1}, folder());
    engine_ = std::make_unique<test::GpuEngine>(folder());
    for (std::uint64_t i = 0; i < 40; ++i) {
      queries_.push_back(test::random_query(random_, maker.vocabulary(), i % 7));
      plans_.push_back(plan_query(engine_->index(), queries_.back()));
    }
  }

  std::filesystem::path folder() const { return folder_ / "index"; }
  GpuSearcher make_searcher() const { return GpuSearcher(engine_->gpu_index()); }

  /// Queries [first, first + answers.size()).
  void judge(const GpuAnswers& answers, std::size_t first, const SearchSettings& settings) const {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Query& query = queries_[first + i];
      const test::Truth truth = test::find_truth(collection_, query, settings);
      EXPECT_EQ(test::judge_gpu(truth, answers.result(i), settings), "")
          << reference::describe(settings) << ' ' << reference::describe(query);
      const auto hits = answers.hits(i);
      EXPECT_EQ(answers.result(i).hits, std::vector<Hit>(hits.begin(), hits.end()));
    }
  }

  Random random_ = test::generator(800);
  Collection collection_;
  test::TemporaryFolder folder_;
  std::unique_ptr<test::GpuEngine> engine_;
  std::vector<Query> queries_;
  std::vector<PlannedQuery> plans_;
};

TEST_F(GpuSearcherTest, RefusesWhatIsOutOfRangeAndStaysUsable) {
  GpuSearcher searcher = make_searcher();
  const SearchSettings good = test::settings_of(QueryMode::kOr, 10);
  EXPECT_THROW(searcher.wait(), UsageError);
  EXPECT_THROW(searcher.run(plans_, test::settings_of(QueryMode::kOr, 0)), UsageError);
  EXPECT_THROW(searcher.run(plans_, test::settings_of(QueryMode::kOr, kMaxK + 1)), UsageError);
  SearchSettings bad = good;
  bad.scorer.k1 = -1;
  EXPECT_THROW(searcher.submit(plans_, bad), UsageError);
  bad = good;
  bad.scorer.kind = ScorerKind::kImpact;  // of an index of frequencies
  EXPECT_THROW(searcher.submit(plans_, bad), UsageError);
  EXPECT_THROW(searcher.wait(), UsageError);
  judge(searcher.run(plans_, good), 0, good);
  const std::span<const PlannedQuery> plans = plans_;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    judge(searcher.run(plans.subspan(i, 1), good), i, good);
    EXPECT_THROW(searcher.run(plans.subspan(i, 1), bad), UsageError);
  }

  searcher.submit(plans_, good);
  EXPECT_THROW(searcher.submit(plans_, good), UsageError);
  EXPECT_THROW(searcher.run(plans_, good), UsageError);
  judge(searcher.wait(), 0, good);  // the first submit's batch
  EXPECT_THROW(searcher.wait(), UsageError);
}

TEST_F(GpuSearcherTest, AnswersBatchesOfNothing) {
  GpuSearcher searcher = make_searcher();
  for (const QueryMode mode : test::kAllModes) {
    const SearchSettings settings = test::settings_of(mode, 10);
    EXPECT_EQ(searcher.run({}, settings).size(), 0U);
    const std::vector<PlannedQuery> empty(33);
    const GpuAnswers answers = searcher.run(empty, settings);
    ASSERT_EQ(answers.size(), 33U);
    for (std::size_t i = 0; i < 33; ++i) {
      EXPECT_TRUE(answers.hits(i).empty());
      EXPECT_EQ(answers.result(i).matches, 0U);
    }
    judge(searcher.run(plans_, settings), 0, settings);
  }
}

TEST_F(GpuSearcherTest, BatchesOfSeveralSearchersOverlap) {
  const SearchSettings any = test::settings_of(QueryMode::kOr, 100);
  const SearchSettings all = test::settings_of(QueryMode::kAndOr, 3);
  const std::span<const PlannedQuery> plans = plans_;
  GpuSearcher one = make_searcher();
  GpuSearcher two = make_searcher();
  for (int round = 0; round < 5; ++round) {
    one.submit(plans.first(20), any);
    two.submit(plans.subspan(20), all);
    judge(one.wait(), 0, any);
    one.submit(plans.subspan(20), any);
    judge(two.wait(), 20, all);
    judge(one.wait(), 20, any);
  }
  EXPECT_EQ(one.statistics().gpu_queries + one.statistics().cpu_queries, 5 * 40U);
  EXPECT_EQ(two.statistics().gpu_queries + two.statistics().cpu_queries, 5 * 20U);
}

TEST_F(GpuSearcherTest, SaysWhatWarpsDo) {
  GpuSearcher searcher(engine_->gpu_index(), {.exhaustive = true, .time_stages = true});
  const auto spent = [](const PhaseCycles& cycles, GpuPhase phase) {
    return cycles[static_cast<std::size_t>(phase)];
  };
  const auto begin = std::chrono::steady_clock::now();
  // No GPU has more warps in a multiprocessor, nor so fast a clock.
  const auto most = [&] {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count() * 64 * device_info(0).multiprocessors * 5e9;
  };
  searcher.run(plans_, test::settings_of(QueryMode::kAnd, 10));
  const GpuStatistics& done = searcher.statistics();
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    EXPECT_GT(done.match_phases[i], 0) << i;
    EXPECT_LT(static_cast<double>(done.match_phases[i]), most()) << i;
  }
  searcher.run(plans_, test::settings_of(QueryMode::kOr, 10));
  for (const GpuPhase phase :
       {GpuPhase::kDecode, GpuPhase::kScore, GpuPhase::kSelect, GpuPhase::kWait}) {
    EXPECT_GT(spent(done.tile_phases, phase), 0) << gpu_phase_name(phase);
    EXPECT_LT(static_cast<double>(spent(done.tile_phases, phase)), most()) << gpu_phase_name(phase);
  }
  EXPECT_EQ(spent(done.tile_phases, GpuPhase::kIntersect), 0);
}

// More queries than have accumulators at a time.
TEST_F(GpuSearcherTest, AddsUpInGlobalMemorySomeQueriesAtATime) {
  GpuSearcher searcher(engine_->gpu_index(), {.or_by = OrMethod::kGlobalMemory});
  std::vector<PlannedQuery> many;
  for (std::size_t i = 0; i < 15; ++i) many.insert(many.end(), plans_.begin(), plans_.end());
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAndOr}) {
    SearchSettings settings = test::settings_of(mode, 10);
    settings.count = mode == QueryMode::kOr;
    const GpuAnswers answers = searcher.run(many, settings);
    ASSERT_EQ(answers.size(), many.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Query& query = queries_[i % queries_.size()];
      const test::Truth truth = test::find_truth(collection_, query, settings);
      ASSERT_EQ(test::judge_gpu(truth, answers.result(i), settings), "")
          << reference::describe(settings) << ' ' << reference::describe(query);
    }
  }
  EXPECT_EQ(searcher.statistics().cpu_queries, 0U);
}

TEST_F(GpuSearcherTest, SeveralThreadsShareOneIndex) {
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 50);
  const std::vector<SearchResult> right = engine_->search(queries_, settings);
  judge(engine_->searcher().run(plans_, settings), 0, settings);
  std::vector<std::string> wrong(6);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&, thread] {
      try {
        GpuSearcher searcher = make_searcher();
        for (std::size_t round = 0; round < 30; ++round) {
          const std::size_t first = (thread + round) % 30;
          const std::size_t size = 1 + round % 10;
          const GpuAnswers answers =
              searcher.run(std::span<const PlannedQuery>(plans_).subspan(first, size), settings);
          for (std::size_t i = 0; i < size; ++i) {
            wrong[thread] += test::disagreement(right[first + i], answers.result(i), settings);
          }
        }
      } catch (const std::exception& error) {
        wrong[thread] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& found : wrong) EXPECT_EQ(found, "");
}

TEST_F(GpuSearcherTest, MovesAndGoesWhileABatchIsUnderWay) {
  for (const QueryMode mode : test::kAllModes) {
    const SearchSettings settings = test::settings_of(mode, 1'000);
    GpuSearcher searcher = make_searcher();
    searcher.submit(plans_, settings);
    GpuSearcher moved = std::move(searcher);
    judge(moved.wait(), 0, settings);
    for (int i = 0; i < 20; ++i) {
      GpuSearcher abandoned = make_searcher();
      abandoned.submit(plans_, settings);
    }
    judge(moved.run(plans_, settings), 0, settings);
  }
}

TEST_F(GpuSearcherTest, RefusesADamagedIndexAndNamesTheSection) {
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "segment-0")) {
    const std::string bytes = test::read_file(entry.path());
    if (bytes.size() <= kHead + kTail) continue;  // of an empty section
    std::string damaged = bytes;
    damaged[kHead + random_() % (bytes.size() - kHead - kTail)] ^= '\x10';
    test::write_file(entry.path(), damaged);
    const Index index = Index::open(folder());
    try {
      const GpuIndex uploaded(index, {});
      ADD_FAILURE() << "uploaded with a damaged " << entry.path().filename();
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + entry.path().filename().string() + "'"),
                std::string::npos)
          << error.what();
      ++refused;
    }
    test::write_file(entry.path(), bytes);
  }
  EXPECT_GE(refused, 8U);
  const Index index = Index::open(folder());
  EXPECT_NO_THROW(GpuIndex(index, {}));
}

TEST_F(GpuSearcherTest, RefusesAGpuThatIsNotThere) {
  EXPECT_THROW(GpuIndex(engine_->index(), {.device = device_count()}), CudaError);
  EXPECT_THROW(GpuIndex(engine_->index(), {.device = -1}), CudaError);
}

TEST(GpuEdges, AnIndexOfNoDocuments) {
  WARPDEX_NEEDS_GPU();
  for (const std::uint32_t documents : {0U, 1U, 5U}) {
    Collection collection;  // whose documents, if any, are empty
    for (std::uint32_t i = 0; i < documents; ++i) collection.add_document({});
    const test::TemporaryFolder folder;
    test::write_index(collection, {}, folder / "index");
    test::GpuEngine engine(folder / "index");
    const std::vector<Query> queries{
        {}, reference::query_from("a"), reference::query_from("+a b -c")};
    for (const QueryMode mode : test::kAllModes) {
      for (const std::uint32_t k : {1U, kMaxK}) {
        ASSERT_EQ(test::judge_batch(collection, engine, queries, test::settings_of(mode, k)), "");
      }
    }
  }
}

TEST(GpuEdges, ImpactsWhoseSumsWouldBeRoundedAreRefused) {
  WARPDEX_NEEDS_GPU();
  Collection collection;
  for (int i = 0; i < 200; ++i) collection.add_document(std::vector<std::string_view>{"a"}, 2.0F);
  const test::TemporaryFolder folder;
  const Collection impacts = collection.to_impacts();
  test::write_impact_index(collection, impacts, {}, folder / "index");
  test::GpuEngine engine(folder / "index");
  const auto most = static_cast<std::size_t>(((1 << 24) - (1 << 20)) / 255);
  std::vector<Query> queries{{"", std::vector<QueryTerm>(most, QueryTerm{"a", Occur::kUnsigned})}};
  // Up to where sums leave 16 bits, and past that.
  for (const std::size_t count : {1U, 256U, 257U, 258U, 4'000U}) {
    queries.push_back({"", std::vector<QueryTerm>(count, QueryTerm{"a", Occur::kUnsigned})});
  }
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 100);
  ASSERT_EQ(test::judge_batch(impacts, engine, queries, settings), "");
  std::vector<Query> too_many = queries;
  too_many[0].terms.push_back({"a", Occur::kUnsigned});
  EXPECT_THROW(engine.search(too_many, settings), UsageError);
  ASSERT_EQ(test::judge_batch(impacts, engine, queries, settings), "");
}

TEST(GpuEdges, WithoutAGpuAnIndexIsNotUploaded) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  const test::TemporaryFolder folder;
  test::write_index({}, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  EXPECT_FALSE(why_no_device().empty());
  EXPECT_THROW(GpuIndex(index, {}), CudaError);
}

}  // namespace
}  // namespace warpdex
