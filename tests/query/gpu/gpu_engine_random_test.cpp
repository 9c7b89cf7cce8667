// The GPU engine against the oracle on random collections, queries, batches and settings.
#include <algorithm>
#include <array>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// Around numbers of documents that fill blocks, the CPU's windows, and tiles of 16,384.
constexpr std::array<std::uint64_t, 21> kGpuSizes{
    0,    1,    2,      31,     32,     33,     127,    128,    129,    1000,   4095,
    4096, 4097, 16'383, 16'384, 16'385, 20'000, 32'769, 65'536, 65'537, 131'100};

class GpuEngineRandom : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// `collection` holds what the index's lists do, frequencies or impacts.
  void judge_index(const Collection& collection, std::uint64_t vocabulary,
                   test::UploadedIndex& engine, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const SearchSettings settings = maker_.draw();
      std::vector<Query> queries;
      for (int i = 0; i < kQueries; ++i) {
        queries.push_back(test::random_query(random_, vocabulary, maker_.draw_terms()));
        test::give_weights(random_, queries.back());
      }
      judge_batch(collection, queries, settings, engine);
      if (HasFatalFailure()) return;
    }
  }

  /// A batch of the queries, many times over, in any order: each is judged once, and its other
  /// answers must be the same.
  void judge_batch(const Collection& collection, const std::vector<Query>& queries,
                   const SearchSettings& settings, test::UploadedIndex& engine) {
    const std::size_t size = std::max(batch_sizes_.draw(random_), queries.size());
    std::vector<std::size_t> which(size);
    std::vector<Query> batch;
    for (std::size_t i = 0; i < size; ++i) which[i] = i % queries.size();
    std::shuffle(which.begin(), which.end(), random_);
    for (const std::size_t query : which) batch.push_back(queries[query]);
    const std::size_t way = ways_.draw(random_);
    const std::vector<SearchResult> results = engine.search(batch, settings, way);
    ASSERT_EQ(results.size(), size);

    const SearchSettings meant = test::meant_settings(engine.index(), settings);
    std::vector<const SearchResult*> judged(queries.size());
    std::vector<test::Truth> truths(queries.size());
    for (std::size_t i = 0; i < size; ++i) {
      const std::string what =
          test::describe(collection.documents(), engine.index().settings().codec, meant, batch[i]) +
          " batch=" + std::to_string(size) + ' ' + std::string(test::kWays[way].name);
      const SearchResult*& first = judged[which[i]];
      test::Truth& truth = truths[which[i]];
      if (first == nullptr) {
        truth = test::find_truth(collection, batch[i], meant);
        ASSERT_EQ(test::judge(truth, results[i], meant), "") << what;
        first = &results[i];
      }
      const std::string difference = test::disagreement(*first, results[i], meant);
      ASSERT_EQ(difference, "") << what;
    }
  }

  /// Fewer where the oracle needs longer.
  int rounds() const { return GetParam() < 10'000 ? 32 : GetParam() < 50'000 ? 16 : 10; }

  static constexpr std::uint64_t kIndexes = 3;  ///< for each size, the last of impacts
  static constexpr int kQueries = 7;
  Random random_ = test::generator(400 + GetParam());
  test::SettingsMaker maker_{random_};
  test::Deck<std::size_t> batch_sizes_{{1, 1, 8, 20, 64, 300}};
  test::Deck<std::size_t> ways_{{0, 0, 1, 2, 3, 4, 4, 5}};
};

TEST_P(GpuEngineRandom, AnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const std::vector<CodecSettings> codecs = test::all_codecs();
  const auto place = static_cast<std::uint64_t>(
      std::find(kGpuSizes.begin(), kGpuSizes.end(), GetParam()) - kGpuSizes.begin());
  for (std::uint64_t drawn = 0; drawn < kIndexes; ++drawn) {
    // The sizes share the codecs out among them; those of impacts go through them by themselves.
    const bool of_impacts = drawn + 1 == kIndexes;
    const std::uint64_t turn = test::seed() + (of_impacts ? place : place * (kIndexes - 1) + drawn);
    const CodecSettings codec = codecs[turn % codecs.size()];
    test::CollectionMaker maker(random_, GetParam());
    const test::TemporaryFolder folder;
    const Collection collection =
        test::write_index_of(maker.make(), of_impacts, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    judge_index(collection, maker.vocabulary(), engine, rounds());
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuEngineRandom, testing::ValuesIn(kGpuSizes));

// 70,000 documents and k 10,000 make the candidates of two thousand queries more than one part of a
// batch has room for.
TEST(GpuEngineParts, AnswersStayInOrderOverTheParts) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kBatch = 2'500;
  Random random = test::generator(500);
  test::CollectionMaker maker(random, 70'000);
  const Collection collection = maker.make();
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  test::UploadedIndex engine(folder / "index");
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAndOr}) {
    SearchSettings settings;
    settings.mode = mode;
    settings.k = kMaxK;
    std::vector<Query> queries;
    std::vector<Query> batch;
    std::vector<std::size_t> which;
    // Some may have more distinct terms than the kernels hold: the CPU's, in any part.
    for (std::uint64_t terms : {0, 1, 2, 100, 3, 200}) {
      queries.push_back(test::random_query(random, maker.vocabulary(), terms));
    }
    for (std::size_t i = 0; i < kBatch; ++i) {
      which.push_back(random() % 50 == 0 ? random() % 6 : random() % 3);
      batch.push_back(queries[which.back()]);
    }
    const std::vector<SearchResult> results = engine.search(batch, settings);
    ASSERT_EQ(results.size(), kBatch);
    std::vector<SearchResult> right;
    for (const Query& query : queries) {
      right.push_back(engine.search({&query, 1}, settings).front());
      const test::Truth truth = test::find_truth(collection, query, settings);
      ASSERT_EQ(test::judge(truth, right.back(), settings), "") << right.size();
    }
    for (std::size_t i = 0; i < kBatch; ++i) {
      ASSERT_EQ(test::disagreement(right[which[i]], results[i], settings), "") << "query " << i;
    }
  }
  const GpuStatistics statistics = engine.searcher().statistics();
  EXPECT_EQ(statistics.queries + statistics.unanswered_queries, 2 * (kBatch + 6));
}

// With k1 of 0 all of 70,000 documents score the same, so that all are candidates; in a batch of
// thousands a query has not room for them, and is answered again with more.
TEST(GpuEngineParts, QueriesWhoseCandidatesWereLostAreAnsweredAgain) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 70'000;
  Collection collection;
  std::vector<reference::Posting> all;
  for (std::uint32_t docid = 0; docid < kDocuments; ++docid) {
    collection.add_document_of_length({}, 1 + docid % 10);
    all.push_back({docid, 1 + docid % 3});
  }
  collection.add_list("few", {{7, 1}, {69'999, 2}});
  collection.add_list("all", std::move(all));
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  test::UploadedIndex engine(folder / "index");
  SearchSettings settings;
  settings.scorer.k1 = 0;
  const std::vector<Query> queries{{"", {{"all"}}}, {"", {{"few"}}}, {"", {{"few"}, {"all"}}}};
  std::vector<Query> batch;
  for (std::size_t i = 0; i < 4'200; ++i) batch.push_back(queries[i % 3]);
  const std::vector<SearchResult> results = engine.search(batch, settings);
  ASSERT_EQ(results.size(), batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i < 3) {
      const test::Truth truth = test::find_truth(collection, queries[i], settings);
      ASSERT_EQ(test::judge(truth, results[i], settings), "") << i;
    }
    ASSERT_EQ(test::disagreement(results[i % 3], results[i], settings), "") << i;
  }
  const GpuStatistics statistics = engine.searcher().statistics();
  EXPECT_GT(statistics.candidates_lost, 0U);
  EXPECT_EQ(statistics.unanswered_queries, 0U);
  EXPECT_EQ(statistics.queries, batch.size());
}

}  // namespace
}  // namespace warpdex
