// Batches over the segments of a snapshot, with segments that the CPU searches one by one: their
// answers are those of the CPU's search of the whole, and no segment sees what it needs not.
#include "gpu/run/snapshot_batch.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cpu/segment_search.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/shards/merge.hpp"

namespace warpdex::gpu {
namespace {

using test::Living;
using Log = test::LivingLog;

/// Answers in memory; those of other slots say that they are unanswered.
class OwnAnswers final : public BatchAnswers::Source {
 public:
  explicit OwnAnswers(std::size_t queries) : results(queries), is_answered(queries, false) {}
  std::size_t size() const override { return results.size(); }
  AnswerView answer(std::size_t query) const override {
    if (!is_answered[query]) return {.is_answered = false};
    return {.hits = results[query].hits, .matches = results[query].matches};
  }

  std::vector<SearchResult> results;
  std::vector<bool> is_answered;
};

/// Searches one segment on the CPU, with AND and OR only. Each batch takes some polls.
class CpuSegment final : public SegmentSearcher {
 public:
  CpuSegment(const Index& index, std::uint64_t seed) : segment_(index), random_(seed) {}

  Ticket submit(SegmentPlans plans, std::span<const SearchSettings> settings,
                std::span<const std::uint32_t> slots) override {
    if (fails_at_submit || submitted == fails_after) throw UsageError("no");
    EXPECT_TRUE(batches_.empty()) << "one batch at a time";
    auto answers = std::make_shared<OwnAnswers>(plans.size());
    largest_k = 0;
    for (const std::uint32_t slot : slots) {
      const SearchSettings& own = settings[settings.size() == 1 ? 0 : slot];
      EXPECT_NE(own.mode, QueryMode::kAndOr);
      largest_k = std::max(largest_k, own.k);
      answers->results[slot] = search(plans[slot], own);
      answers->is_answered[slot] = slot % leaves_every != leaves_every - 1;
    }
    ++submitted;
    batches_[++last_ticket_] = {answers, static_cast<int>(random_() % 3)};
    return Ticket{last_ticket_};
  }
  bool poll(Ticket ticket) override {
    return --batches_.at(static_cast<std::uint64_t>(ticket)).second < 0;
  }
  BatchAnswers wait(Ticket ticket) override {
    const auto found = batches_.find(static_cast<std::uint64_t>(ticket));
    if (found == batches_.end()) throw UsageError("unknown");
    const auto answers = found->second.first;
    batches_.erase(found);
    return BatchAnswers(answers);
  }

  bool is_idle() const { return batches_.empty(); }

  bool fails_at_submit = false;
  int fails_after = -1;                   ///< so many were submitted
  std::uint32_t leaves_every = 1U << 30;  ///< it cannot answer each so many-th query
  int submitted = 0;
  std::uint32_t largest_k = 0;  ///< of the last queries

 private:
  SearchResult search(const PlannedQuery& plan, const SearchSettings& settings) {
    SearchResult result;
    SegmentSearch search;
    const bool is_and = settings.mode == QueryMode::kAnd;
    if (!search.open(segment_, plan, is_and, settings)) return result;
    TopK top;
    top.reset(settings.k, settings.known_threshold);
    SearchSettings counting = settings;
    counting.count = true;
    result.matches = search.run(~std::uint64_t{0}, counting, false, scratch_, top);
    std::vector<TopK::Entry> entries;
    top.take(entries);
    for (const TopK::Entry& entry : entries) {
      if (entry.score >= settings.known_threshold) result.hits.push_back({entry.id, entry.score});
    }
    return result;
  }

  SearchedSegment segment_;
  std::mt19937_64 random_;
  SearchScratch scratch_;
  std::map<std::uint64_t, std::pair<std::shared_ptr<OwnAnswers>, int>> batches_;
  std::uint64_t last_ticket_ = 0;
};

struct Searched {
  /// Runs of neighbouring segments are on `gpus` GPUs, of each of which the largest comes first.
  Searched(const Snapshot& snapshot, std::mt19937_64& random, std::size_t gpus = 1) {
    const std::size_t count = snapshot.segments().size();
    gpus = std::clamp<std::size_t>(gpus, 1, std::max<std::size_t>(count, 1));
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      const std::size_t begin = count * gpu / gpus;
      const std::size_t end = count * (gpu + 1) / gpus;
      std::size_t largest = begin;
      for (std::size_t i = begin; i < end; ++i) {
        if (documents_of(snapshot, i) > documents_of(snapshot, largest)) largest = i;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Snapshot::Segment& segment = snapshot.segments()[i];
        auto cpu = std::make_unique<CpuSegment>(*segment.index, random());
        all.push_back(cpu.get());
        parts.all.push_back({std::move(cpu), i, SearchedPart::Plan::kSegment,
                             segment.first_document, documents_of(snapshot, i)});
        (i == largest ? parts.first : parts.others).push_back(i);
      }
    }
  }
  static std::uint64_t documents_of(const Snapshot& snapshot, std::size_t segment) {
    return snapshot.segments()[segment].index->counts().documents;
  }

  SearchedParts parts;
  std::vector<CpuSegment*> all;
};

void expect_right(const Snapshot& snapshot, const Log& log, const MergedAnswers& answers) {
  CpuSearcher searcher(snapshot);
  ASSERT_EQ(answers.size(), log.plans.size());
  for (std::size_t i = 0; i < log.plans.size(); ++i) {
    const SearchSettings& settings = log.settings[log.settings.size() == 1 ? 0 : i];
    const SearchResult wanted = searcher.run(log.plans[i], settings);
    const AnswerView found = answers.answer(i);
    const std::string what = reference::describe(log.queries[i]) + reference::describe(settings);
    ASSERT_TRUE(found.is_answered);
    EXPECT_EQ(std::vector<Hit>(found.hits.begin(), found.hits.end()), wanted.hits) << what;
    EXPECT_EQ(found.fell_back_to_or, wanted.fell_back_to_or) << what;
    if (settings.count) {
      EXPECT_EQ(found.matches, wanted.matches) << what;
    }
    EXPECT_GE(found.matches, found.hits.size()) << what;
  }
}

/// A snapshot that is not plain.
Snapshot change(Living& living, int commits) {
  for (int i = 0; i < commits; ++i) {
    living.add();
    living.remove();
    if (i % 3 == 0) living.update();
    living.commit();
  }
  Snapshot snapshot = Snapshot::open(living.index());
  EXPECT_FALSE(snapshot.is_plain());
  return snapshot;
}

class SnapshotBatchTest : public testing::TestWithParam<bool> {};

TEST_P(SnapshotBatchTest, AnswersAsTheCpu) {
  Living living(870, CodecKind::kBitpack, GetParam());
  for (const int commits : {1, 2, 9}) {
    const Snapshot snapshot = change(living, commits);
    Searched searched(snapshot, living.random(), 1 + living.below(4));
    for (const std::size_t count : {0, 1, 33, 200}) {
      Log log(living, snapshot, count);
      const bool is_one = count > 1 && living.below(2) == 0;
      if (is_one) log.settings.resize(1);
      SnapshotBatch batch(searched.parts, log.plans, log.settings);
      if (count % 2 == 0) {
        while (!batch.poll()) {
        }
        EXPECT_TRUE(batch.poll());
      }
      batch.wait();
      batch.wait();
      expect_right(snapshot, log, *batch.answers());
      ASSERT_FALSE(HasFailure()) << count << " queries, " << snapshot.segments().size();
    }
  }
}

/// A snapshot of two segments, which the parts of two GPUs are.
Snapshot two_segments(Living& living, std::size_t more) {
  living.add_some(more);
  living.remove_some(3);
  living.commit();
  Snapshot snapshot = Snapshot::open(living.index());
  EXPECT_EQ(snapshot.segments().size(), 2U);
  return snapshot;
}

/// Of OR, with settings of their own or the same ones.
Log log_of(Living& living, const Snapshot& snapshot, std::size_t queries, std::uint32_t k,
           bool is_one = false) {
  Log log(living, snapshot, queries);
  for (SearchSettings& settings : log.settings) {
    settings.k = k;
    settings.mode = QueryMode::kOr;
  }
  if (is_one) log.settings.resize(1);
  return log;
}

void wait_or_poll(SnapshotBatch& batch, bool polls) {
  while (polls && !batch.poll()) {
  }
  batch.wait();
}

TEST_P(SnapshotBatchTest, PartsAreAskedForLittleMoreThanTheirShare) {
  Living living(873, CodecKind::kBitpack, GetParam(), 3'000);
  const Snapshot snapshot = two_segments(living, 2'000);
  Searched searched(snapshot, living.random(), 2);
  for (const std::uint32_t k : {1U, 10U, 31U, 100U, 300U, 4'000U}) {
    const std::uint32_t share = shards::first_k(k, 3'000. / 5'000);
    for (const bool is_one : {false, true}) {
      const Log log = log_of(living, snapshot, is_one ? 200 : 30, k, is_one);
      SnapshotBatch batch(searched.parts, log.plans, log.settings);
      for (const CpuSegment* segment : searched.all) {
        EXPECT_EQ(segment->largest_k, k < 100 ? k : share) << k;
      }
      wait_or_poll(batch, is_one);
      expect_right(snapshot, log, *batch.answers());
    }
  }
}

// One part has nearly all documents, though they are said to be shared out: it is asked again.
TEST_P(SnapshotBatchTest, PartsThatLeftDocumentsOutAreAskedAgain) {
  Living living(874, CodecKind::kBitpack, GetParam(), 3'000);
  const Snapshot snapshot = two_segments(living, 40);
  Searched searched(snapshot, living.random(), 2);
  for (SearchedPart& part : searched.parts.all) part.documents = 1;
  for (int round = 0; round < 8; ++round) {
    searched.parts.short_answers = {};
    const std::size_t queries = round % 2 == 0 ? 30 : 200;
    const Log log = log_of(living, snapshot, queries, 100, round / 2 % 2 == 0);
    const int before = searched.all[0]->submitted;
    SnapshotBatch batch(searched.parts, log.plans, log.settings);
    wait_or_poll(batch, round < 4);
    expect_right(snapshot, log, *batch.answers());
    EXPECT_EQ(searched.all[0]->submitted, before + 2);
    EXPECT_FALSE(searched.parts.short_answers.pay());
  }
  for (int round = 0; round < 8; ++round) {  // of all modes and numbers
    searched.parts.short_answers = {};
    const Log log(living, snapshot, round % 2 == 0 ? 30 : 200);
    SnapshotBatch batch(searched.parts, log.plans, log.settings);
    wait_or_poll(batch, round < 4);
    expect_right(snapshot, log, *batch.answers());
  }
  searched.parts.short_answers = {};
  searched.all[1]->fails_after = searched.all[1]->submitted + 1;
  const Log log = log_of(living, snapshot, 30, 100);
  EXPECT_THROW(SnapshotBatch(searched.parts, log.plans, log.settings).wait(), UsageError);
  for (const CpuSegment* segment : searched.all) EXPECT_TRUE(segment->is_idle());
}

// All documents score alike: what a part left out may come before what another one has.
TEST(SnapshotBatch, EqualScoresThatWereLeftOut) {
  const test::TemporaryFolder folder;
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.threads = 1;
  auto documents = [next = 0](std::size_t count) mutable {
    std::vector<Document> all;
    for (; count > 0; --count) all.push_back({"d" + std::to_string(next++), "word"});
    return documents_from_memory(std::move(all));
  };
  build_index(*documents(500), options);
  LivingIndex index(folder / "index");
  AddOptions more;
  more.build.threads = 1;
  index.add(*documents(500), more);
  index.commit();
  const Snapshot snapshot = Snapshot::open(folder / "index");
  ASSERT_EQ(snapshot.segments().size(), 2U);
  Query query;
  query.terms.push_back({"word", Occur::kUnsigned, 1});
  const PlannedQuery plan = plan_query(snapshot, query);
  auto random = test::generator(876);
  Searched searched(snapshot, random, 2);
  for (const std::uint32_t k : {100U, 499U, 500U, 501U, 700U}) {
    searched.parts.short_answers = {};
    SearchSettings settings;
    settings.k = k;
    settings.scorer = effective_scorer(snapshot.settings(), settings.scorer);
    SnapshotBatch batch(searched.parts, std::span(&plan, 1), std::span(&settings, 1));
    batch.wait();
    const std::span<const Hit> hits = batch.answers()->answer(0).hits;
    ASSERT_EQ(hits.size(), k);
    for (std::uint32_t i = 0; i < k; ++i) EXPECT_EQ(hits[i].document, i);
  }
}

TEST(ShortAnswers, PayAgainAfterSomeQueries) {
  ShortAnswers answers;
  answers.note(1'000, 31);
  EXPECT_TRUE(answers.pay());
  answers.note(1'000, 1'000);
  EXPECT_FALSE(answers.pay());
  answers.note(30'999, 0);
  EXPECT_FALSE(answers.pay());
  answers.note(1, 0);
  EXPECT_TRUE(answers.pay());
}

// Where most queries must be asked again, parts are asked for k at once.
TEST_P(SnapshotBatchTest, ShortAnswersThatDoNotPay) {
  Living living(875, CodecKind::kBitpack, GetParam(), 3'000);
  const Snapshot snapshot = two_segments(living, 40);
  Searched searched(snapshot, living.random(), 2);
  for (SearchedPart& part : searched.parts.all) part.documents = 1;
  int submitted = 0;
  for (int round = 0; round < 100; ++round) {
    const Log few = log_of(living, snapshot, 30, 10);  // these do not count
    SnapshotBatch(searched.parts, few.plans, few.settings).wait();
    const Log log = log_of(living, snapshot, 30, 100);
    const int before = searched.all[0]->submitted;
    SnapshotBatch batch(searched.parts, log.plans, log.settings);
    batch.wait();
    expect_right(snapshot, log, *batch.answers());
    submitted += searched.all[0]->submitted - before;
  }
  EXPECT_GE(submitted, 101);
  EXPECT_LE(submitted, 115);
}

TEST_P(SnapshotBatchTest, SegmentsMayLeaveQueries) {
  Living living(871, CodecKind::kBitpack, GetParam());
  const Snapshot snapshot = change(living, 4);
  Searched searched(snapshot, living.random());
  searched.all[searched.parts.first[0]]->leaves_every = 3;
  searched.all.back()->leaves_every = 5;
  const Log log(living, snapshot, 60);
  SnapshotBatch batch(searched.parts, log.plans, log.settings);
  batch.wait();
  for (std::uint32_t i = 0; i < 60; ++i) {
    EXPECT_EQ(batch.answers()->answer(i).is_answered, i % 3 != 2 && i % 5 != 4) << i;
  }
}

TEST_P(SnapshotBatchTest, LeavesNothingUnderWay) {
  Living living(872, CodecKind::kBitpack, GetParam());
  const Snapshot snapshot = change(living, 3);
  Searched searched(snapshot, living.random());
  const Log log(living, snapshot, 10);
  for (std::size_t failing = 0; failing < searched.all.size(); ++failing) {
    searched.all[failing]->fails_at_submit = true;
    EXPECT_THROW(SnapshotBatch(searched.parts, log.plans, log.settings).wait(), UsageError);
    searched.all[failing]->fails_at_submit = false;
    for (const CpuSegment* segment : searched.all) EXPECT_TRUE(segment->is_idle());
  }
  { const SnapshotBatch dropped(searched.parts, log.plans, log.settings); }
  for (const CpuSegment* segment : searched.all) EXPECT_TRUE(segment->is_idle());
  SnapshotBatch batch(searched.parts, log.plans, log.settings);
  batch.wait();
  expect_right(snapshot, log, *batch.answers());
}

TEST(SnapshotBatch, WithoutSegmentsNothingMatches) {
  SearchedParts none;
  const std::vector<PlannedQuery> plans(2);
  std::vector<SearchSettings> settings(2);
  settings[1].mode = QueryMode::kAndOr;
  SnapshotBatch batch(none, plans, settings);
  EXPECT_TRUE(batch.poll());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(batch.answers()->answer(i).is_answered);
    EXPECT_TRUE(batch.answers()->answer(i).hits.empty());
    EXPECT_EQ(batch.answers()->answer(i).fell_back_to_or, i == 1);
  }
}

INSTANTIATE_TEST_SUITE_P(TextsAndWeights, SnapshotBatchTest, testing::Bool());

}  // namespace
}  // namespace warpdex::gpu
