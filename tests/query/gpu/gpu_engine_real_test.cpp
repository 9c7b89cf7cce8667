// The GPU engine against the oracle on real collections and queries: every codec, mode, scorer and
// k, with and without skipping. One codec's answers are judged, the others' must be the same. A
// sample of the queries; all of them with WARPDEX_FULL_TESTS=1.
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/real_engine_inputs.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

class GpuEngineReal : public testing::TestWithParam<test::RealCase> {
 protected:
  /// Every mode and k; each with a scorer.
  std::vector<SearchSettings> all_settings(const ScorerSettings& scorer) {
    std::vector<SearchSettings> all;
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {1U, 10U, 100U, 1'000U, 10'000U}) {
        SearchSettings settings;
        settings.mode = mode;
        settings.k = k;
        settings.count = random_() % 2 == 0;
        settings.scorer = scorer;
        all.push_back(settings);
      }
    }
    return all;
  }

  /// The answers of one codec's index, by settings and query.
  std::vector<std::vector<SearchResult>> answer(std::size_t codec, const ScorerSettings& scorer,
                                                const std::vector<SearchSettings>& all,
                                                const std::vector<Query>& queries,
                                                std::size_t way) {
    test::UploadedIndex engine(written_.folder(codec, scorer));
    std::vector<std::vector<SearchResult>> answers;
    for (const SearchSettings& settings : all) {
      answers.push_back(engine.search(queries, settings, way));
    }
    return answers;
  }

  void judge_scorer(const ScorerSettings& scorer, const std::vector<Query>& queries) {
    const std::vector<SearchSettings> all = all_settings(scorer);
    const std::vector<CodecSettings> codecs = test::all_codecs();
    const std::size_t judged = random_() % codecs.size();
    const auto right = answer(judged, scorer, all, queries, 0);
    for (std::size_t query = 0; query < queries.size(); ++query) {
      const test::ModeTruths truths =
          test::find_mode_truths(written_.collection(scorer), queries[query], scorer);
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(test::judge(truths.of(all[i]), right[i][query], all[i]), "")
            << describe(codecs[judged], all[i], queries[query]);
      }
    }
    for (std::size_t codec = 0; codec < codecs.size(); ++codec) {
      const std::size_t way = (codec == judged ? 1 : 0) + random_() % (test::kWays.size() - 1);
      const auto others = answer(codec, scorer, all, queries, way);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t query = 0; query < queries.size(); ++query) {
          ASSERT_EQ(test::disagreement(right[i][query], others[i][query], all[i]), "")
              << describe(codecs[codec], all[i], queries[query]) << ' ' << test::kWays[way].name;
        }
      }
    }
  }

  static std::string describe(const CodecSettings& codec, const SearchSettings& settings,
                              const Query& query) {
    return reference::describe(codec) + ' ' + reference::describe(settings) + ' ' +
           reference::describe(query);
  }

  std::mt19937_64 random_ = test::generator(700);
  test::RealIndexes written_;
};

TEST_P(GpuEngineReal, AnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  WARPDEX_NEEDS_DATA(GetParam().documents);
  WARPDEX_NEEDS_DATA("queries/terabyte05.efficiency.txt.xz");
  written_.read(GetParam());
  const std::vector<Query> queries = test::sample_queries(GetParam(), random_);
  for (const ScorerSettings& scorer : test::real_scorers()) {
    judge_scorer(scorer, queries);
    if (HasFatalFailure()) return;
  }
}

// A whole log in one batch; the CPU engine, which the oracle judges elsewhere, answers it the same.
TEST_P(GpuEngineReal, AnswersALogAsTheCpu) {
  WARPDEX_NEEDS_GPU();
  WARPDEX_NEEDS_DATA(GetParam().documents);
  WARPDEX_NEEDS_DATA("queries/terabyte05.efficiency.txt.xz");
  written_.read(GetParam());
  const std::vector<Query> queries = test::sample_log(700, random_);
  for (const ScorerSettings& scorer :
       {ScorerSettings{}, ScorerSettings{.kind = ScorerKind::kImpact}}) {
    const std::size_t codec = random_() % test::all_codecs().size();
    const std::vector<SearchSettings> all = all_settings(scorer);
    const auto answers = answer(codec, scorer, all, queries, false);
    const Index index = Index::open(written_.folder(codec, scorer));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<SearchResult> right = test::search_on_cpu(index, queries, all[i], 0);
      for (std::size_t query = 0; query < queries.size(); ++query) {
        ASSERT_EQ(test::disagreement(right[query], answers[i][query], all[i]), "")
            << describe(test::all_codecs()[codec], all[i], queries[query]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, GpuEngineReal, testing::ValuesIn(test::real_cases()),
                         [](const auto& test_case) { return std::string(test_case.param.name); });

}  // namespace
}  // namespace warpdex
