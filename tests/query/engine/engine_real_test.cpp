// The CPU engine against the oracle on real collections and queries: every codec, mode, scorer and
// k, by one and two threads. A sample of the queries; all of them with WARPDEX_FULL_TESTS=1.
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/real_engine_inputs.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {
namespace {

using test::ModeTruths;

class EngineReal : public testing::TestWithParam<test::RealCase> {
 protected:
  void open(const test::RealCase& of) {
    written_.read(of);
    for (std::size_t codec = 0; codec < test::all_codecs().size(); ++codec) {
      indexes_.push_back(Index::open(written_.folder(codec, {})));
      impact_indexes_.push_back(Index::open(written_.folder(codec, {.kind = ScorerKind::kImpact})));
    }
  }

  std::vector<ModeTruths> find_answers(const ScorerSettings& scorer,
                                       const std::vector<Query>& queries) const {
    std::vector<ModeTruths> answers;
    for (const Query& query : queries) {
      answers.push_back(test::find_mode_truths(written_.collection(scorer), query, scorer));
    }
    return answers;
  }

  void judge_codec(std::size_t codec, const SearchSettings& settings,
                   const std::vector<Query>& queries,
                   const std::vector<ModeTruths>& answers) const {
    const bool of_impacts = settings.scorer.kind == ScorerKind::kImpact;
    const Index& index = of_impacts ? impact_indexes_[codec] : indexes_[codec];
    const auto one = test::search_on_cpu(index, queries, settings, 1);
    const auto two = test::search_on_cpu(index, queries, settings, 2);
    ASSERT_EQ(one.size(), queries.size());
    ASSERT_EQ(two.size(), queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const std::string what = reference::describe(test::all_codecs()[codec]) + ' ' +
                               reference::describe(settings) + ' ' +
                               reference::describe(queries[i]);
      ASSERT_EQ(test::judge(answers[i].of(settings), one[i], settings), "") << what;
      ASSERT_EQ(one[i].hits, two[i].hits) << "threads=2 " << what;
      ASSERT_EQ(one[i].fell_back_to_or, two[i].fell_back_to_or) << "threads=2 " << what;
      if (settings.count) {
        ASSERT_EQ(one[i].matches, two[i].matches) << "threads=2 " << what;
      }
    }
  }

  test::RealIndexes written_;
  std::vector<Index> indexes_;
  std::vector<Index> impact_indexes_;
};

TEST_P(EngineReal, AnswersAsTheOracle) {
  WARPDEX_NEEDS_DATA(GetParam().documents);
  WARPDEX_NEEDS_DATA("queries/terabyte05.efficiency.txt.xz");
  auto random = test::generator(200);
  open(GetParam());
  const std::vector<Query> queries = test::sample_queries(GetParam(), random);
  for (const ScorerSettings& scorer : test::real_scorers()) {
    const std::vector<ModeTruths> answers = find_answers(scorer, queries);
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {1U, 10U, 100U, 1'000U, 10'000U}) {
        for (std::size_t codec = 0; codec < indexes_.size(); ++codec) {
          SearchSettings settings;
          settings.mode = mode;
          settings.k = k;
          settings.count = random() % 2 == 0;
          settings.scorer = scorer;
          ASSERT_NO_FATAL_FAILURE(judge_codec(codec, settings, queries, answers));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, EngineReal, testing::ValuesIn(test::real_cases()),
                         [](const auto& test_case) { return std::string(test_case.param.name); });

}  // namespace
}  // namespace warpdex
