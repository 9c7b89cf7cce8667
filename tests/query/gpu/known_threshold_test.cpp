// Searches on the GPU that start with a threshold that another search has reached: the highest that
// is true, and lower ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

class GpuKnownThreshold : public testing::TestWithParam<bool> {};

TEST_P(GpuKnownThreshold, AnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  test::Random random = test::generator(GetParam() ? 850 : 851);
  for (const std::uint64_t documents : {1, 129, 5'000, 40'000}) {
    test::CollectionMaker maker(random, documents);
    const test::TemporaryFolder folder;
    const auto collection =
        test::write_index_of(maker.make(), GetParam(), {CodecKind::kBitpack, 1}, folder / "index");
    test::UploadedIndex engine(folder / "index");
    GpuEngine gpu(engine.gpu_index());
    test::SettingsMaker settings_maker(random);
    std::vector<PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    std::vector<test::Truth> truths;
    for (int i = 0; i < 60; ++i) {
      Query query = test::random_query(random, maker.vocabulary(), 1 + random() % 6);
      test::give_weights(random, query);
      plans.push_back(plan_query(engine.index(), query));
      settings.push_back(settings_maker.draw());
      const SearchSettings meant = test::meant_settings(engine.index(), settings.back());
      truths.push_back(test::find_truth(collection, query, meant));
      const auto& ranking = truths.back().float_ranking;
      const std::size_t k = settings.back().k;
      if (ranking.size() < k || settings.back().mode == QueryMode::kAndOr) continue;
      settings.back().known_threshold = ranking[k - 1].score * (i % 3 == 0   ? 0.5F
                                                                : i % 3 == 1 ? 0.99F
                                                                             : 1.0F);
    }
    const BatchAnswers answers = gpu.run(plans, settings);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (!answers[i].is_answered) continue;
      ASSERT_EQ(test::judge(truths[i], answers.result(i), settings[i]), "")
          << documents << ' ' << i << " threshold " << settings[i].known_threshold;
      const BatchAnswers alone =
          gpu.run(std::span(plans).subspan(i, 1), std::span(settings).subspan(i, 1));
      ASSERT_EQ(test::judge(truths[i], alone.result(0), settings[i]), "") << "alone: " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FrequenciesAndImpacts, GpuKnownThreshold, testing::Bool());

}  // namespace
}  // namespace warpdex
