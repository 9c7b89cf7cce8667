// Parts of a collection that are planned with the statistics of all: their answers, put together,
// are those of one index, to the bit, and what parts count adds up to what the collection counts.
#include "warpdex/query/plan/whole_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/part_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/plan/query_planner.hpp"

namespace warpdex {
namespace {

using reference::Collection;

/// A collection, and an index of each of its parts.
struct CutCollection {
  CutCollection(test::Random& random, std::uint64_t documents, std::size_t part_count)
      : maker(random, documents), whole(maker.make()) {
    const std::vector<CodecSettings> codecs = test::all_codecs();
    cuts = test::draw_cuts(random, whole.documents(), part_count);
    for (std::size_t i = 0; i < part_count; ++i) {
      const Collection part = test::slice(whole, cuts[i], cuts[i + 1]);
      const std::filesystem::path place = folder / std::to_string(i);
      test::write_index(part, codecs[test::below(random, codecs.size())], place);
      parts.push_back(Snapshot::open(place));
    }
  }

  /// All matches of all parts, best first.
  SearchResult search(const Query& query, const SearchSettings& settings) const {
    const WholeStatistics statistics = test::add_up(parts, {&query, 1});
    SearchResult all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      CpuSearcher searcher(parts[i]);
      const PlannedQuery plan = plan_query(parts[i], query, statistics);
      const SearchResult own = searcher.run(plan, settings);
      for (const Hit& hit : own.hits) all.hits.push_back({hit.document + cuts[i], hit.score});
      all.matches += own.matches;
    }
    std::stable_sort(all.hits.begin(), all.hits.end(),
                     [](const Hit& a, const Hit& b) { return a.score > b.score; });
    if (all.hits.size() > settings.k) all.hits.resize(settings.k);
    return all;
  }

  const test::TemporaryFolder folder{test::place_in_memory()};
  test::CollectionMaker maker;
  Collection whole;
  std::vector<std::uint32_t> cuts;
  std::vector<Snapshot> parts;
};

class WholeStatisticsOf : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WholeStatisticsOf, PartsAnswerAsTheOracleDoesForAll) {
  test::Random random = test::generator(6100 + GetParam());
  test::SettingsMaker settings_maker(random);
  for (const std::size_t parts : {1, 2, 5}) {
    const CutCollection cut(random, GetParam(), parts);
    for (int i = 0; i < 60; ++i) {
      SearchSettings settings = settings_maker.draw();
      if (settings.mode == QueryMode::kAndOr) settings.mode = QueryMode::kAnd;
      Query query = test::random_query(random, cut.maker.vocabulary(), settings_maker.draw_terms());
      test::give_weights(random, query);
      const test::Truth truth = test::find_truth(cut.whole, query, settings);
      ASSERT_EQ(test::judge(truth, cut.search(query, settings), settings), "")
          << parts << " parts, " << reference::describe(settings) << ' '
          << reference::describe(query);
    }
  }
}

TEST_P(WholeStatisticsOf, PartsCountWhatTheCollectionHas) {
  test::Random random = test::generator(6200 + GetParam());
  const CutCollection cut(random, GetParam(), 4);
  for (const std::string& term : cut.whole.terms()) {
    const Query query{.id = {}, .terms = {{.term = term}}};
    const WholeStatistics sum = test::add_up(cut.parts, {&query, 1});
    EXPECT_EQ(sum.of(term).documents, cut.whole.postings(term).size());
    EXPECT_EQ(sum.of(term).occurrences, cut.whole.collection_frequency(term));
    EXPECT_EQ(sum.collection.documents, cut.whole.documents());
    EXPECT_EQ(sum.collection.tokens, cut.whole.tokens());
    if (test::below(random, 20) == 0) break;  // some are enough
  }
  EXPECT_EQ(part_term(cut.parts[0], "unknown"), PartTerm());
}

constexpr std::array<std::uint64_t, 7> kPartSizes{0, 1, 33, 127, 129, 1'000, 20'000};
INSTANTIATE_TEST_SUITE_P(Sizes, WholeStatisticsOf, testing::ValuesIn(kPartSizes));

/// Frequencies of the documents that a seed speaks of, counted by hand.
TEST(PartTerm, SeedsHoldForAsManyDocuments) {
  test::Random random = test::generator(6300);
  int seeds = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const CutCollection cut(random, 3'000, 1);
    for (const std::string& term : cut.whole.terms()) {
      std::uint32_t counted = 0;
      for (const PartSeed& seed : part_term(cut.parts[0], term).seeds) {
        counted += seed.documents;
        const auto reach =
            std::ranges::count_if(cut.whole.postings(term), [&](const reference::Posting& posting) {
              return posting.frequency >= seed.seed.frequency &&
                     cut.whole.lengths()[posting.document] <= decode_length(seed.seed.length);
            });
        EXPECT_GE(reach, counted) << term;
        ++seeds;
      }
    }
  }
  EXPECT_GT(seeds, 6);
}

TEST(WholeStatistics, ATermOfNoDocumentIsUnknown) {
  test::Random random = test::generator(6400);
  const CutCollection cut(random, 500, 2);
  const std::string term = cut.whole.terms().front();
  const Query query{.id = {}, .terms = {{.term = term, .occur = Occur::kMust}}};
  WholeStatistics whole = test::add_up(cut.parts, {&query, 1});
  whole.terms[term] = {};
  for (const Snapshot& part : cut.parts) {
    EXPECT_TRUE(plan_query(part, query, whole).misses_must);
    EXPECT_TRUE(plan_query(part, query, whole).terms.empty());
    QueryPlanner planner(part, whole);
    EXPECT_TRUE(planner.plan(query).misses_must);
  }
}

TEST(WholeStatistics, AnotherNumberOfTextFieldsIsRefused) {
  test::Random random = test::generator(6500);
  const CutCollection cut(random, 10, 1);
  WholeStatistics whole;
  whole.texts.resize(2);
  EXPECT_THROW(plan_query(cut.parts[0], Query{}, whole), UsageError);
}

}  // namespace
}  // namespace warpdex
