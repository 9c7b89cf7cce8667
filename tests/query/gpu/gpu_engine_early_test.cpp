// Answers of AND that come before those of OR in their batch: they are final, right and each given
// once, also where memory is short and queries are answered again.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "tests/query/engine/living_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/query/gpu/lists/gpu_cache_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// A batch with a copy of each answer that came early.
struct WatchedBatch {
  std::map<std::uint32_t, SearchResult> early;
  std::vector<SearchResult> all;
};

/// Checks that each list of early queries begins with the one before, or is empty.
void note_early(const EarlyAnswers& found, std::vector<std::uint32_t>& before,
                WatchedBatch& batch) {
  if (found.queries.empty()) return;
  ASSERT_GE(found.queries.size(), before.size());
  ASSERT_TRUE(std::ranges::equal(before, found.queries.first(before.size())));
  for (const std::uint32_t query : found.queries.subspan(before.size())) {
    const AnswerView answer = found.source->answer(query);
    ASSERT_TRUE(answer.is_answered);
    ASSERT_TRUE(batch.early.emplace(query, copy_answer(answer)).second);
  }
  before.assign(found.queries.begin(), found.queries.end());
}

WatchedBatch run_watched(GpuEngine& engine, std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) {
  WatchedBatch batch;
  std::vector<std::uint32_t> before;
  const Ticket ticket = engine.submit(plans, settings);
  while (!engine.poll(ticket)) note_early(engine.early_answers(ticket), before, batch);
  const BatchAnswers answers = engine.wait(ticket);
  for (std::size_t i = 0; i < plans.size(); ++i) batch.all.push_back(answers.result(i));
  return batch;
}

/// Early answers are those that the batch has at its end.
void expect_final(const WatchedBatch& batch) {
  for (const auto& [query, early] : batch.early) {
    const SearchResult& last = batch.all[query];
    EXPECT_EQ(early.hits, last.hits) << query;
    EXPECT_EQ(early.matches, last.matches) << query;
    EXPECT_EQ(early.fell_back_to_or, last.fell_back_to_or) << query;
  }
}

/// Batches of 1 to 64 queries of AND and OR over a random collection.
class GpuEarly : public testing::Test {
 protected:
  void make(std::uint64_t documents, const CodecSettings& codec) {
    test::CollectionMaker maker(random_, documents);
    collection_ = maker.make();
    test::write_index(collection_, codec, folder_ / "index");
    uploaded_ = std::make_unique<test::UploadedIndex>(folder_ / "index");
    for (std::uint64_t i = 0; i < 64; ++i) {
      queries_.push_back(test::random_query(random_, maker.vocabulary(), i % 9));
      plans_.push_back(plan_query(uploaded_->index(), queries_.back()));
    }
  }

  /// Returns how many answers came early.
  std::size_t run_and_judge(GpuEngine& engine, std::size_t size, bool has_scorers) {
    std::vector<SearchSettings> settings(size);
    for (SearchSettings& each : settings) {
      each.mode = test::chance(random_, 50) ? QueryMode::kAnd : QueryMode::kOr;
      each.k = ks_.draw(random_);
      each.count = test::chance(random_, 20);
      if (has_scorers && test::chance(random_, 30)) each.scorer.k1 = 1.2F;
    }
    const WatchedBatch batch = run_watched(engine, std::span(plans_).first(size), settings);
    expect_final(batch);
    for (std::size_t i = 0; i < size; ++i) {
      const test::Truth truth = test::find_truth(collection_, queries_[i], settings[i]);
      EXPECT_EQ(test::judge(truth, batch.all[i], settings[i]), "")
          << reference::describe(settings[i]) << ' ' << reference::describe(queries_[i]);
    }
    return batch.early.size();
  }

  Random random_ = test::generator(870);
  test::Deck<std::uint32_t> ks_{{1, 10, 100, 1'000}};
  test::TemporaryFolder folder_;
  Collection collection_;
  std::unique_ptr<test::UploadedIndex> uploaded_;
  std::vector<Query> queries_;
  std::vector<PlannedQuery> plans_;
};

TEST_F(GpuEarly, SmallBatchesOfAllCodecsAreRight) {
  WARPDEX_NEEDS_GPU();
  for (const CodecSettings& codec : test::all_codecs()) {
    queries_.clear();
    plans_.clear();
    make(3'000, codec);
    GpuEngine engine(uploaded_->gpu_index(), {.max_batches = 2});
    for (const std::size_t size : {1, 2, 31, 64}) {
      for (const bool has_scorers : {false, true}) run_and_judge(engine, size, has_scorers);
    }
    ASSERT_FALSE(HasFailure()) << codec_name(codec.kind);
  }
}

TEST_F(GpuEarly, AnswersOfAndComeBeforeThoseOfOr) {
  WARPDEX_NEEDS_GPU();
  make(60'000, {});
  GpuEngine engine(uploaded_->gpu_index(), {.max_batches = 2});
  std::size_t early = 0;
  for (int round = 0; round < 20; ++round) early += run_and_judge(engine, 64, false);
  EXPECT_GT(early, 0U);
}

// Of several segments that are searched together, with removed documents.
TEST_F(GpuEarly, SeveralSegments) {
  WARPDEX_NEEDS_GPU();
  test::Living living(871, CodecKind::kBitpack, false, 20'000);
  for (int i = 0; i < 4; ++i) {
    living.add_some(3'000);
    living.remove_share(10);
    living.commit();
  }
  const Snapshot snapshot = Snapshot::open(living.index());
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  GpuEngine engine(gpu, {.max_batches = 2});
  CpuSearcher cpu(snapshot);
  std::size_t early = 0;
  for (int round = 0; round < 20; ++round) {
    test::LivingLog log(living, snapshot, 64);
    for (SearchSettings& each : log.settings) {
      each.mode = test::chance(random_, 50) ? QueryMode::kAnd : QueryMode::kOr;
      each.scorer = log.settings[0].scorer;
    }
    const WatchedBatch batch = run_watched(engine, log.plans, log.settings);
    expect_final(batch);
    for (std::size_t i = 0; i < log.plans.size(); ++i) {
      const SearchResult right = cpu.run(log.plans[i], log.settings[i]);
      ASSERT_EQ(test::disagreement(right, batch.all[i], log.settings[i]), "")
          << reference::describe(log.settings[i]) << ' ' << reference::describe(log.queries[i]);
    }
    early += batch.early.size();
  }
  EXPECT_GT(early, 0U);
}

TEST_F(GpuEarly, UnknownTicketsAreRefused) {
  WARPDEX_NEEDS_GPU();
  make(1'000, {});
  GpuEngine engine(uploaded_->gpu_index(), {.max_batches = 2});
  EXPECT_THROW(engine.early_answers(Ticket{0}), UsageError);
  EXPECT_THROW(engine.early_answers(Ticket{7}), UsageError);
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
  const Ticket ticket = engine.submit(plans_, std::span(&settings, 1));
  EXPECT_TRUE(engine.early_answers(ticket).queries.empty());
  engine.wait(ticket);
  EXPECT_THROW(engine.early_answers(ticket), UsageError);
}

// With k1 of 0 all documents score the same, so that all are candidates. Where memory is short, a
// query of AND has not room for them, and is answered again: it must not be early.
TEST_F(GpuEarly, LostCandidatesAreNotEarly) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 70'000;
  std::vector<reference::Posting> postings;
  for (std::uint32_t docid = 0; docid < kDocuments; ++docid) {
    collection_.add_document_of_length({}, 1 + docid % 10);
    postings.push_back({docid, 1 + docid % 3});
  }
  collection_.add_list("few", {{7, 1}, {69'999, 2}});
  collection_.add_list("all", postings);
  collection_.add_list("every", std::move(postings));
  test::write_index(collection_, {}, folder_ / "index");
  const Index index = Index::open(folder_ / "index");
  // The first query has few matches, so that it may be early where those behind it may not.
  const std::vector<Query> kinds{
      {"", {{"few"}, {"all"}}}, {"", {{"all"}, {"every"}, {"few"}}}, {"", {{"all"}, {"every"}}}};
  std::vector<SearchSettings> settings;
  std::vector<test::Truth> truths;
  for (std::size_t i = 0; i < 18; ++i) {
    const Query& query = kinds[i % 3];
    SearchSettings& each =
        settings.emplace_back(test::settings_of(i % 2 == 0 ? QueryMode::kAnd : QueryMode::kOr, 10));
    each.scorer.k1 = 0;
    plans_.push_back(plan_query(index, query));
    truths.push_back(test::find_truth(collection_, query, each));
  }
  const std::size_t resident = test::Budgets(index).resident;
  std::size_t early_beside_lost = 0;
  for (std::size_t more = 0; more < 16; ++more) {
    const test::LoneGpuIndex gpu_index(index, {.memory = resident + (more << 20)});
    GpuEngine engine(gpu_index, {.max_batches = 2});
    for (int round = 0; round < 5; ++round) {
      const std::uint64_t lost = engine.statistics().candidates_lost;
      const WatchedBatch batch = run_watched(engine, plans_, settings);
      expect_final(batch);
      for (std::size_t i = 0; i < plans_.size(); ++i) {
        ASSERT_EQ(test::judge(truths[i], batch.all[i], settings[i]), "") << i << ", " << more;
      }
      if (engine.statistics().candidates_lost > lost) early_beside_lost += batch.early.size();
    }
  }
  EXPECT_GT(early_beside_lost, 0U);
}

}  // namespace
}  // namespace warpdex
