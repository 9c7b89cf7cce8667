// The CPU engine against the oracle on random collections, queries and settings.
#include <algorithm>
#include <array>
#include <set>

#include "plan/seed_threshold.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::CollectionMaker;
using test::Random;
using test::SettingsMaker;

constexpr std::array<std::uint64_t, 14> kSizes{0,   1,   2,    31,   32,   33,   127,
                                               128, 129, 1000, 4095, 4096, 4097, 20'000};

/// What OR may start with: the best of the terms' seeds.
float seed_threshold(const Index& index, const PlannedQuery& query, const ScorerSettings& settings,
                     std::uint32_t k) {
  const ScorerSettings effective = effective_scorer(index.settings(), settings);
  const CollectionStatistics statistics{index.counts().documents, index.counts().tokens};
  float threshold = 0;
  for (const PlannedTerm& term : query.terms) {
    if (term.is_must || term.is_prohibited) return 0;
    const TermScorer scorer = make_term_scorer(effective, statistics, term.entry.document_frequency,
                                               term.entry.collection_frequency, term.weight);
    threshold = std::max(threshold, seed_score(index.sections(), term.entry, scorer, k));
  }
  return query.misses_must ? 0 : threshold;
}

/// Empty unless the threshold that stored seeds give is above the k-th best score.
std::string judge_seed(const test::Truth& truth, const Index& index, const PlannedQuery& plan,
                       const SearchSettings& settings) {
  const auto k = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(settings.k, std::max<std::uint64_t>(1, index.counts().documents)));
  const float threshold = seed_threshold(index, plan, settings.scorer, k);
  if (threshold == 0) return {};
  const std::vector<Hit>& ranking = truth.float_ranking;
  if (ranking.size() < k) return "a threshold for a rank that is not reached";
  if (ranking[k - 1].score >= threshold) return {};
  return "threshold " + std::to_string(threshold) + " above " +
         std::to_string(ranking[k - 1].score);
}

class EngineRandom : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// `collection` holds what the index's lists do, frequencies or impacts.
  void judge_index(const Collection& collection, std::uint64_t vocabulary,
                   const CodecSettings& codec, const Index& index) {
    CpuSearcher searcher(index);
    for (int round = 0; round < kRounds; ++round) {
      const SearchSettings settings = maker_.draw();
      const std::size_t threads = maker_.draw_threads();
      std::vector<Query> queries;
      for (int i = 0; i < kQueries; ++i) {
        queries.push_back(test::random_query(random_, vocabulary, maker_.draw_terms()));
        test::give_weights(random_, queries.back());
      }
      const std::vector<SearchResult> results =
          test::search_on_cpu(index, queries, settings, threads);
      ASSERT_EQ(results.size(), queries.size());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const SearchSettings meant = test::meant_settings(index, settings);
        const std::string what = "threads=" + std::to_string(threads) + ' ' +
                                 test::describe(collection.documents(), codec, meant, queries[i]);
        const test::Truth truth = test::find_truth(collection, queries[i], meant);
        ASSERT_EQ(test::judge(truth, results[i], settings), "") << what;
        if (meant.mode == QueryMode::kOr) {
          ASSERT_EQ(judge_seed(truth, index, searcher.plan(queries[i]), meant), "") << what;
        }
        // A searcher that has answered other queries with other settings before.
        const SearchResult again = searcher.search(queries[i], settings);
        ASSERT_EQ(test::judge(truth, again, settings), "") << "alone: " << what;
      }
    }
  }

  static constexpr std::uint64_t kIndexes = 4;  ///< for each size, the last of impacts
  static constexpr int kRounds = 32;
  static constexpr int kQueries = 5;
  Random random_ = test::generator(100 + GetParam());
  SettingsMaker maker_{random_};
};

TEST_P(EngineRandom, AnswersAsTheOracle) {
  const std::uint64_t documents = GetParam();
  const std::vector<CodecSettings> codecs = test::all_codecs();
  const auto place = std::find(kSizes.begin(), kSizes.end(), documents) - kSizes.begin();
  for (std::uint64_t drawn = 0; drawn < kIndexes; ++drawn) {
    // The sizes share the codecs out among them, so that each meets several sizes in every run.
    // Those of impacts go through the codecs by themselves.
    const bool of_impacts = drawn + 1 == kIndexes;
    const std::uint64_t turn =
        test::seed() + (of_impacts ? static_cast<std::uint64_t>(place)
                                   : static_cast<std::uint64_t>(place) * (kIndexes - 1) + drawn);
    const CodecSettings codec = codecs[turn % codecs.size()];
    CollectionMaker collection_maker(random_, documents);
    const test::TemporaryFolder folder;
    const Collection collection =
        test::write_index_of(collection_maker.make(), of_impacts, codec, folder / "index");
    const Index index = Index::open(folder / "index");
    ASSERT_NO_FATAL_FAILURE(judge_index(collection, collection_maker.vocabulary(), codec, index));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EngineRandom, testing::ValuesIn(kSizes));

// What the modes and signs mean, spelt out on a collection that fits a page.
TEST(EngineSigns, FollowTheModes) {
  Collection collection;
  for (const char* text : {"a b a", "b c", "", "a c c d"}) {
    std::vector<std::string_view> terms;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(1)) {
      if (rest[0] != ' ') terms.push_back(rest.substr(0, 1));
    }
    collection.add_document(terms);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  const auto search = [&](std::vector<QueryTerm> terms, QueryMode mode) {
    SearchSettings settings;
    settings.mode = mode;
    std::set<std::uint32_t> documents;
    for (const Hit& hit : searcher.search({"", std::move(terms)}, settings).hits) {
      documents.insert(hit.document);
    }
    return documents;
  };
  using Documents = std::set<std::uint32_t>;
  const Occur must = Occur::kMust;
  const Occur must_not = Occur::kMustNot;
  EXPECT_EQ(search({{"a"}, {"b"}}, QueryMode::kAnd), Documents({0}));
  EXPECT_EQ(search({{"a"}, {"b"}}, QueryMode::kOr), Documents({0, 1, 3}));
  EXPECT_EQ(search({{"a", must}, {"b"}}, QueryMode::kOr), Documents({0, 3}));
  EXPECT_EQ(search({{"a"}, {"unknown"}}, QueryMode::kAnd), Documents());
  EXPECT_EQ(search({{"a"}, {"unknown"}}, QueryMode::kOr), Documents({0, 3}));
  EXPECT_EQ(search({{"a"}, {"unknown", must}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({{"a"}, {"b"}, {"c", must_not}}, QueryMode::kOr), Documents({0}));
  EXPECT_EQ(search({{"a", must_not}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({{"a", must}, {"a", must_not}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({}, QueryMode::kAnd), Documents());
  EXPECT_EQ(search({{"b"}, {"d"}}, QueryMode::kAndOr), Documents({0, 1, 3}));
}

// A collection of one long list: 2,000 documents, all of them alike but for the first k.
TEST(EngineSeeds, AreThereForLongListsAndTheirRanksOnly) {
  Collection collection;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string_view> terms(i < 10 ? 9 : i < 100 ? 5 : 1, "a");
    terms.resize(20, "b");
    collection.add_document(terms);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  const CpuSearcher searcher(index);
  const auto threshold = [&](std::vector<QueryTerm> terms, std::uint32_t k) {
    return seed_threshold(index, searcher.plan({"", std::move(terms)}), {}, k);
  };
  EXPECT_GT(threshold({{"a"}}, 1), threshold({{"a"}}, 11));
  EXPECT_EQ(threshold({{"a"}}, 1), threshold({{"a"}}, 10));
  EXPECT_GT(threshold({{"a"}}, 100), threshold({{"a"}}, 101));
  EXPECT_GT(threshold({{"a"}}, 1000), 0);
  EXPECT_EQ(threshold({{"a"}}, 1001), 0);
  EXPECT_EQ(threshold({{"a"}, {"b", Occur::kMust}}, 10), 0);
  EXPECT_EQ(threshold({{"a"}, {"b", Occur::kMustNot}}, 10), 0);
  EXPECT_EQ(threshold({{"unknown"}}, 10), 0);
  EXPECT_GT(threshold({{"a"}, {"unknown"}}, 10), 0);
}

TEST(EngineImpacts, SumsThatAreRoundedAreRoundedInTheCanonicalOrder) {
  Collection collection;
  for (int i = 0; i < 200; ++i) collection.add_document(std::vector<std::string_view>{"a"}, 2.0F);
  const test::TemporaryFolder folder;
  test::write_impact_index(collection, collection.to_impacts(), {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  const auto max = static_cast<std::size_t>(((1 << 24) - (1 << 20)) / 255);
  Query query{"", std::vector<QueryTerm>(max, QueryTerm{"a", Occur::kUnsigned})};
  SearchSettings settings;
  const float statics = index.sections().static_scores[0];
  EXPECT_EQ(searcher.search(query, settings).hits.at(0).score,
            statics + static_cast<float>(max * collection.to_impacts().postings("a")[0].frequency));
  const PlannedQuery exact = searcher.plan(query);
  EXPECT_TRUE(sums_are_exact(index, exact));
  query.terms.push_back({"a", Occur::kUnsigned});
  EXPECT_FALSE(sums_are_exact(index, searcher.plan(query)));
  EXPECT_EQ(searcher.search(query, settings).hits.size(), 10U);
  settings.scorer.kind = ScorerKind::kImpact;
  test::write_index(collection, {}, folder / "frequencies");
  const Index frequencies = Index::open(folder / "frequencies");
  EXPECT_THROW(CpuSearcher(frequencies).search({}, settings), UsageError);
}

}  // namespace
}  // namespace warpdex
