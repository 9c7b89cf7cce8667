// GpuIndex and GpuEngine as programs use them: what they refuse, batches of nothing, settings of
// each query, several engines and threads over one uploaded index, batches that overlap.
#include "warpdex/query/gpu/gpu_engine.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "gpu/index/gpu_index_state.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
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
class GpuEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    WARPDEX_NEEDS_GPU();
    test::CollectionMaker maker(random_, 3'000);
    collection_ = maker.make();
    test::write_index(collection_, {CodecKind::kBitpack, 0}, folder());
    uploaded_ = std::make_unique<test::UploadedIndex>(folder());
    for (std::uint64_t i = 0; i < 40; ++i) {
      queries_.push_back(test::random_query(random_, maker.vocabulary(), i % 7));
      plans_.push_back(plan_query(uploaded_->index(), queries_.back()));
    }
  }

  std::filesystem::path folder() const { return folder_ / "index"; }
  GpuEngine make_engine(std::size_t max_batches = 4) const {
    return GpuEngine(uploaded_->gpu_index(), {.max_batches = max_batches});
  }

  /// Queries [first, first + answers.size()).
  void judge(const BatchAnswers& answers, std::size_t first,
             std::span<const SearchSettings> settings) const {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Query& query = queries_[first + i];
      const SearchSettings& wanted = settings[settings.size() == 1 ? 0 : i];
      const test::Truth truth = test::find_truth(collection_, query, wanted);
      ASSERT_TRUE(answers[i].is_answered);
      EXPECT_EQ(test::judge(truth, answers.result(i), wanted), "")
          << reference::describe(wanted) << ' ' << reference::describe(query);
    }
  }
  void judge(const BatchAnswers& answers, std::size_t first, const SearchSettings& settings) const {
    judge(answers, first, std::span(&settings, 1));
  }
  static Ticket submit(GpuEngine& engine, std::span<const PlannedQuery> plans,
                       const SearchSettings& settings) {
    return engine.submit(plans, std::span(&settings, 1));
  }

  Random random_ = test::generator(800);
  Collection collection_;
  test::TemporaryFolder folder_;
  std::unique_ptr<test::UploadedIndex> uploaded_;
  std::vector<Query> queries_;
  std::vector<PlannedQuery> plans_;
};

TEST_F(GpuEngineTest, RefusesWhatIsOutOfRangeAndStaysUsable) {
  GpuEngine engine = make_engine();
  const SearchSettings good = test::settings_of(QueryMode::kOr, 10);
  EXPECT_THROW(engine.wait(Ticket{0}), UsageError);
  EXPECT_THROW(engine.poll(Ticket{1}), UsageError);
  EXPECT_THROW(engine.run(plans_, test::settings_of(QueryMode::kOr, 0)), UsageError);
  EXPECT_THROW(engine.run(plans_, test::settings_of(QueryMode::kOr, kMaxK + 1)), UsageError);
  EXPECT_THROW(engine.run(plans_, std::vector<SearchSettings>(plans_.size() - 1)), UsageError);
  EXPECT_THROW(engine.run(plans_, std::vector<SearchSettings>()), UsageError);
  SearchSettings bad = good;
  bad.scorer.k1 = -1;
  EXPECT_THROW(submit(engine, plans_, bad), UsageError);
  bad = good;
  bad.scorer.kind = ScorerKind::kImpact;  // of an index of frequencies
  EXPECT_THROW(submit(engine, plans_, bad), UsageError);
  judge(engine.run(plans_, good), 0, good);
  const std::span<const PlannedQuery> plans = plans_;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    judge(engine.run(plans.subspan(i, 1), good), i, good);
    EXPECT_THROW(engine.run(plans.subspan(i, 1), bad), UsageError);
  }
  const Ticket ticket = submit(engine, plans_, good);
  judge(engine.wait(ticket), 0, good);
  EXPECT_THROW(engine.wait(ticket), UsageError);
  EXPECT_THROW(engine.poll(ticket), UsageError);
  EXPECT_THROW(make_engine(0), UsageError);
}

TEST_F(GpuEngineTest, HasAsManyBatchesUnderWayAsItIsAllowed) {
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
  GpuEngine engine = make_engine(2);
  const Ticket first = submit(engine, plans_, settings);
  const Ticket second = submit(engine, plans_, settings);
  EXPECT_THROW(submit(engine, plans_, settings), UsageError);
  std::optional<BatchAnswers> kept = engine.wait(second);
  EXPECT_THROW(submit(engine, plans_, settings), UsageError) << "its answers are in use";
  const BatchAnswers copied = *kept;
  kept.reset();
  EXPECT_THROW(submit(engine, plans_, settings), UsageError) << "so are those of a copy";
  judge(engine.wait(first), 0, settings);  // and releases them
  const Ticket third = submit(engine, plans_, settings);
  EXPECT_NE(third, first);
  judge(copied, 0, settings);
  judge(engine.wait(third), 0, settings);
}

/// Kernels start early only in a batch that counts as the only one. A batch that went on counting
/// after its end would be seen in no answer, but in all times.
TEST_F(GpuEngineTest, CountsTheBatchesUnderWayOfAllEngines) {
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
  const auto count = [&] { return uploaded_->gpu_index().state().batches.load(); };
  EXPECT_EQ(count(), 0U);
  {
    GpuEngine engine = make_engine(2);
    GpuEngine other = make_engine(1);
    const Ticket first = submit(engine, plans_, settings);
    submit(engine, plans_, settings);
    const Ticket third = submit(other, plans_, settings);
    EXPECT_EQ(count(), 3U);
    while (!other.poll(third)) std::this_thread::yield();
    EXPECT_EQ(count(), 2U);
    judge(other.wait(third), 0, settings);
    EXPECT_EQ(count(), 2U) << "it counted twice";
    judge(engine.wait(first), 0, settings);
    EXPECT_EQ(count(), 1U);
  }
  EXPECT_EQ(count(), 0U) << "an engine went while a batch was under way";
}

TEST_F(GpuEngineTest, PollSaysWhenABatchIsDone) {
  const SearchSettings settings = test::settings_of(QueryMode::kAndOr, 100);
  GpuEngine engine = make_engine();
  for (const std::size_t size : {std::size_t{1}, plans_.size()}) {
    const auto plans = std::span<const PlannedQuery>(plans_).first(size);
    const Ticket one = submit(engine, plans, settings);
    const Ticket other = submit(engine, plans, settings);
    while (!engine.poll(other)) std::this_thread::yield();
    while (!engine.poll(one)) std::this_thread::yield();
    EXPECT_TRUE(engine.poll(other));
    judge(engine.wait(other), 0, settings);
    judge(engine.wait(one), 0, settings);
  }
}

TEST_F(GpuEngineTest, SleepsWhenItMayNotSpin) {
  GpuEngine engine(uploaded_->gpu_index(), {.spin = std::chrono::microseconds(0)});
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 1'000);
  judge(engine.run(plans_, settings), 0, settings);
  const auto plans = std::span<const PlannedQuery>(plans_);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    judge(engine.run(plans.subspan(i, 1), settings), i, settings);
  }
}

TEST_F(GpuEngineTest, EachQueryHasSettingsOfItsOwn) {
  GpuEngine engine = make_engine();
  for (int round = 0; round < 10; ++round) {
    std::vector<SearchSettings> settings;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      SearchSettings each = test::settings_of(test::kAllModes[random_() % 3],
                                              1 + static_cast<std::uint32_t>(random_() % 300));
      each.count = random_() % 4 == 0;
      if (random_() % 3 == 0) each.scorer.kind = ScorerKind::kQueryLikelihood;
      if (random_() % 3 == 0) each.scorer.k1 = 1.2F;
      settings.push_back(each);
    }
    const BatchAnswers answers = engine.run(plans_, settings);
    judge(answers, 0, settings);
  }
}

TEST_F(GpuEngineTest, SaysWhichQueriesItCannotAnswer) {
  const auto known =
      std::ranges::find_if(plans_, [](const PlannedQuery& each) { return !each.terms.empty(); });
  ASSERT_NE(known, plans_.end());
  PlannedQuery plan = *known;
  while (plan.terms.size() <= kMaxGpuTerms) {
    plan.terms.push_back(plan.terms[0]);  // distinct to the kernels
  }
  GpuEngine engine = make_engine();
  std::vector<PlannedQuery> plans(plans_.begin(), plans_.begin() + 3);
  plans.push_back(plan);
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
  const BatchAnswers answers = engine.run(plans, settings);
  EXPECT_TRUE(answers[0].is_answered && answers[1].is_answered && answers[2].is_answered);
  EXPECT_FALSE(answers[3].is_answered);
  EXPECT_TRUE(answers.result(3).hits.empty());
  EXPECT_EQ(engine.statistics().unanswered_queries, 1U);
  EXPECT_EQ(engine.statistics().queries, 3U);
}

TEST_F(GpuEngineTest, AnswersBatchesOfNothing) {
  GpuEngine engine = make_engine();
  for (const QueryMode mode : test::kAllModes) {
    const SearchSettings settings = test::settings_of(mode, 10);
    EXPECT_EQ(engine.run({}, settings).size(), 0U);
    const std::vector<PlannedQuery> empty(33);
    const BatchAnswers answers = engine.run(empty, settings);
    ASSERT_EQ(answers.size(), 33U);
    for (std::size_t i = 0; i < 33; ++i) {
      EXPECT_TRUE(answers[i].hits.empty());
      EXPECT_EQ(answers[i].matches, 0U);
    }
    judge(engine.run(plans_, settings), 0, settings);
  }
}

TEST_F(GpuEngineTest, BatchesOfSeveralEnginesOverlap) {
  const SearchSettings any = test::settings_of(QueryMode::kOr, 100);
  const SearchSettings all = test::settings_of(QueryMode::kAndOr, 3);
  const std::span<const PlannedQuery> plans = plans_;
  GpuEngine one = make_engine();
  GpuEngine two = make_engine();
  for (int round = 0; round < 5; ++round) {
    const Ticket first = submit(one, plans.first(20), any);
    const Ticket second = submit(two, plans.subspan(20), all);
    judge(one.wait(first), 0, any);
    const Ticket third = submit(one, plans.subspan(20), any);
    judge(two.wait(second), 20, all);
    judge(one.wait(third), 20, any);
  }
  EXPECT_EQ(one.statistics().queries + one.statistics().unanswered_queries, 5 * 40U);
  EXPECT_EQ(two.statistics().queries + two.statistics().unanswered_queries, 5 * 20U);
}

TEST_F(GpuEngineTest, SaysWhatWarpsDo) {
  GpuEngine engine(uploaded_->gpu_index(), {.ablation = {.exhaustive = true, .time_stages = true}});
  const auto spent = [](const PhaseCycles& cycles, GpuPhase phase) {
    return cycles[static_cast<std::size_t>(phase)];
  };
  const auto begin = std::chrono::steady_clock::now();
  // No GPU has more warps in a multiprocessor, nor so fast a clock.
  const auto most = [&] {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count() * 64 * device_info(0).multiprocessors * 5e9;
  };
  const BatchAnswers matches = engine.run(plans_, test::settings_of(QueryMode::kAnd, 10));
  GpuStatistics done = engine.statistics();
  std::vector<GpuPhase> phases{GpuPhase::kDecode, GpuPhase::kIntersect, GpuPhase::kWait};
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (plans_[i].terms.size() < 2 || matches[i].hits.empty()) continue;
    phases.insert(phases.end(), {GpuPhase::kScore, GpuPhase::kSelect});
  }
  for (const GpuPhase phase : phases) {
    EXPECT_GT(spent(done.match_phases, phase), 0) << gpu_phase_name(phase);
    EXPECT_LT(static_cast<double>(spent(done.match_phases, phase)), most());
  }
  engine.run(plans_, test::settings_of(QueryMode::kOr, 10));
  done = engine.statistics();
  for (const GpuPhase phase :
       {GpuPhase::kDecode, GpuPhase::kScore, GpuPhase::kSelect, GpuPhase::kWait}) {
    EXPECT_GT(spent(done.tile_phases, phase), 0) << gpu_phase_name(phase);
    EXPECT_LT(static_cast<double>(spent(done.tile_phases, phase)), most()) << gpu_phase_name(phase);
  }
  EXPECT_EQ(spent(done.tile_phases, GpuPhase::kIntersect), 0);
}

TEST_F(GpuEngineTest, SeveralThreadsShareOneIndex) {
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 50);
  const std::vector<SearchResult> right = uploaded_->search(queries_, settings);
  std::vector<std::string> wrong(6);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&, thread] {
      try {
        GpuEngine engine = make_engine();
        for (std::size_t round = 0; round < 30; ++round) {
          const std::size_t first = (thread + round) % 30;
          const std::size_t size = 1 + round % 10;
          const BatchAnswers answers =
              engine.run(std::span<const PlannedQuery>(plans_).subspan(first, size), settings);
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

TEST_F(GpuEngineTest, MovesAndGoesWhileABatchIsUnderWay) {
  for (const QueryMode mode : test::kAllModes) {
    const SearchSettings settings = test::settings_of(mode, 1'000);
    GpuEngine engine = make_engine();
    const Ticket ticket = submit(engine, plans_, settings);
    GpuEngine moved = std::move(engine);
    judge(moved.wait(ticket), 0, settings);
    for (int i = 0; i < 20; ++i) {
      GpuEngine abandoned = make_engine();
      submit(abandoned, plans_, settings);
    }
    judge(moved.run(plans_, settings), 0, settings);
  }
}

TEST_F(GpuEngineTest, RefusesADamagedIndexAndNamesTheSection) {
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "segment-0")) {
    const std::string bytes = test::read_file(entry.path());
    if (bytes.size() <= kHead + kTail) continue;  // of an empty section
    std::string damaged = bytes;
    damaged[kHead + random_() % (bytes.size() - kHead - kTail)] ^= '\x10';
    test::write_file(entry.path(), damaged);
    const Index index = Index::open(folder());
    try {
      const test::LoneGpuIndex uploaded(index, {});
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
  EXPECT_NO_THROW(test::LoneGpuIndex(index, {}));
}

TEST_F(GpuEngineTest, RefusesAGpuThatIsNotThere) {
  EXPECT_THROW(test::LoneGpuIndex(uploaded_->index(), {.device = device_count()}), CudaError);
  EXPECT_THROW(test::LoneGpuIndex(uploaded_->index(), {.device = -1}), CudaError);
}

TEST(GpuEdges, AnIndexOfNoDocuments) {
  WARPDEX_NEEDS_GPU();
  for (const std::uint32_t documents : {0U, 1U, 5U}) {
    Collection collection;  // whose documents, if any, are empty
    for (std::uint32_t i = 0; i < documents; ++i) collection.add_document({});
    const test::TemporaryFolder folder;
    test::write_index(collection, {}, folder / "index");
    test::UploadedIndex engine(folder / "index");
    const std::vector<Query> queries{
        {}, reference::query_from("a"), reference::query_from("+a b -c")};
    for (const QueryMode mode : test::kAllModes) {
      for (const std::uint32_t k : {1U, kMaxK}) {
        ASSERT_EQ(test::judge_batch(collection, engine, queries, test::settings_of(mode, k)), "");
      }
    }
  }
}

TEST(GpuEdges, ImpactsWhoseSumsAreRoundedAndRealWeightsAreTheCpus) {
  WARPDEX_NEEDS_GPU();
  Collection collection;
  for (int i = 0; i < 200; ++i) collection.add_document(std::vector<std::string_view>{"a"}, 2.0F);
  const test::TemporaryFolder folder;
  const Collection impacts = collection.to_impacts();
  test::write_impact_index(collection, impacts, {}, folder / "index");
  test::UploadedIndex engine(folder / "index");
  const auto most = static_cast<std::size_t>(((1 << 24) - (1 << 20)) / 255);
  std::vector<Query> queries{{"", std::vector<QueryTerm>(most, QueryTerm{"a", Occur::kUnsigned})}};
  // Up to where sums leave 16 bits, and past that.
  for (const std::size_t count : {1U, 256U, 257U, 258U, 4'000U}) {
    queries.push_back({"", std::vector<QueryTerm>(count, QueryTerm{"a", Occur::kUnsigned})});
  }
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 100);
  ASSERT_EQ(test::judge_batch(impacts, engine, queries, settings), "");
  GpuEngine gpu(engine.gpu_index());
  const auto is_answered = [&](const Query& query) {
    const PlannedQuery plan = plan_query(engine.index(), query);
    return gpu.run(std::span(&plan, 1), settings)[0].is_answered;
  };
  EXPECT_TRUE(is_answered(queries[0]));
  queries[0].terms.push_back({"a", Occur::kUnsigned});
  EXPECT_TRUE(is_answered(queries[0])) << "its sum is rounded";
  queries.push_back({"", {{"a", Occur::kUnsigned, 2.5F}}});
  EXPECT_TRUE(is_answered(queries.back()));
  queries.push_back({"", {{"a", Occur::kUnsigned, 3.0F}}});
  EXPECT_TRUE(is_answered(queries.back()));
  ASSERT_EQ(test::judge_batch(impacts, engine, queries, settings), "");
}

TEST(GpuEdges, WithoutAGpuAnIndexIsNotUploaded) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  const test::TemporaryFolder folder;
  test::write_index({}, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  EXPECT_FALSE(why_no_device().empty());
  EXPECT_THROW(test::LoneGpuIndex(index, {}), CudaError);
}

}  // namespace
}  // namespace warpdex
