// Searches that are stopped: what they have found is right, the certificate holds for all that is
// missing, and another search may start with their threshold.
#include "warpdex/query/cpu/search_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/plan/plan_bounds.hpp"

namespace warpdex {
namespace {

/// Stops a search at its n-th look.
class StopAfter final : public SearchWatch {
 public:
  explicit StopAfter(int looks) : looks_(looks) {}
  bool goes_on() override { return looks_-- > 0; }

 private:
  int looks_;
};

/// Empty if a partial answer and its certificate are true.
std::string judge_partial(const test::Truth& truth, const SearchResult& result,
                          const SearchProgress& progress, const SearchSettings& settings,
                          std::uint64_t documents) {
  std::map<std::uint32_t, float> found;
  for (const Hit& hit : result.hits) found[hit.document] = hit.score;
  if (found.size() != result.hits.size()) return "a document stands twice";
  if (found.size() > settings.k) return "more than k documents";
  std::size_t reached = 0;
  std::size_t known = 0;
  for (const Hit& hit : truth.float_ranking) {
    if (hit.score >= progress.threshold) ++reached;
    const auto place = found.find(hit.document);
    if (place != found.end()) {
      ++known;
      if (place->second != hit.score) return "a score that is not exact";
    } else if (hit.score > progress.max_missing_score) {
      return "document " + std::to_string(hit.document) + " scores " + std::to_string(hit.score) +
             ", above the certificate of " + std::to_string(progress.max_missing_score);
    }
  }
  const bool is_fallback = settings.mode == QueryMode::kAndOr && truth.ranking.fell_back_to_or;
  if (!is_fallback && known != found.size()) return "a document that does not match";
  if (progress.threshold > 0 && reached < std::min<std::uint64_t>(settings.k, documents)) {
    return "a threshold that k do not reach";
  }
  if (result.matches > truth.float_ranking.size()) return "too many matches";
  return {};
}

class SearchWatchTest : public testing::TestWithParam<bool> {};

TEST_P(SearchWatchTest, PartialAnswersAndCertificatesAreTrue) {
  test::Random random = test::generator(GetParam() ? 820 : 821);
  int stopped = 0;
  for (const std::uint64_t documents : {1, 33, 129, 5'000, 30'000}) {
    test::CollectionMaker maker(random, documents);
    const test::TemporaryFolder folder;
    const auto collection =
        test::write_index_of(maker.make(), GetParam(), {CodecKind::kBitpack, 1}, folder / "index");
    const Index index = Index::open(folder / "index");
    CpuSearcher searcher(index);
    test::SettingsMaker settings_maker(random);
    for (int i = 0; i < 60; ++i) {
      const SearchSettings settings = settings_maker.draw();
      const Query query = test::random_query(random, maker.vocabulary(), 1 + random() % 6);
      const PlannedQuery plan = searcher.plan(query);
      const SearchSettings meant = test::meant_settings(index, settings);
      const test::Truth truth = test::find_truth(collection, query, meant);
      const std::string what = test::describe(documents, {}, meant, query);
      const float most = plan_bounds(index, plan, settings).max_score + max_static_score(index);
      for (const Hit& hit : truth.float_ranking) ASSERT_LE(hit.score, most) << what;
      StopAfter watch(static_cast<int>(random() % 4));
      SearchProgress progress;
      const SearchResult result = searcher.run(plan, settings, watch, progress);
      if (progress.is_complete) {
        ASSERT_EQ(test::judge(truth, result, settings), "") << what;
        continue;
      }
      ++stopped;
      ASSERT_EQ(judge_partial(truth, result, progress, settings, documents), "") << what;
      SearchSettings again = settings;
      again.known_threshold = progress.threshold;
      ASSERT_EQ(test::judge(truth, searcher.run(plan, again), settings), "") << what;
    }
  }
  EXPECT_GT(stopped, 30);
}

INSTANTIATE_TEST_SUITE_P(FrequenciesAndImpacts, SearchWatchTest, testing::Bool());

TEST(KnownThreshold, IsAScore) {
  SearchSettings settings;
  settings.known_threshold = -1;
  EXPECT_THROW(settings.validate(), UsageError);
  settings.known_threshold = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(settings.validate(), UsageError);
}

}  // namespace
}  // namespace warpdex
