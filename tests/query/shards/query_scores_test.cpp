// What a query can score, told from the counts of its terms: enough documents reach the threshold,
// and none of a part passes its bound.
#include "query/shards/query_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/part_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/query/shards/shard.hpp"

namespace warpdex::shards {
namespace {

/// What parts count of a query's terms.
TermTable count_terms(const std::vector<Snapshot>& parts, const Query& query) {
  TermTable terms;
  for (const QueryTerm& term : query.terms) {
    std::vector<PartTerm> counts;
    for (const Snapshot& part : parts) counts.push_back(part_term(part, term.term));
    terms[term.term] = std::make_shared<const std::vector<PartTerm>>(std::move(counts));
  }
  return terms;
}

TEST(QueryScores, ThresholdsAreReachedAndBoundsAreNot) {
  test::Random random = test::generator(7900);
  test::SettingsMaker settings_maker(random);
  int thresholds = 0;
  int thousands = 0;
  for (int turn = 0; turn < 8; ++turn) {
    test::CollectionMaker maker(random, 20'000);
    const reference::Collection collection = maker.make();
    const std::vector<std::uint32_t> cuts = test::draw_cuts(random, collection.documents(), 4);
    const test::TemporaryFolder folder(test::place_in_memory());
    std::vector<Snapshot> parts;
    std::vector<PartDescription> descriptions;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::filesystem::path place = folder / std::to_string(i);
      test::write_index(test::slice(collection, cuts[i], cuts[i + 1]), {}, place);
      parts.push_back(Snapshot::open(place));
      descriptions.push_back(describe_part(parts.back()));
    }
    const Whole whole(std::move(descriptions));
    for (int i = 0; i < 25; ++i) {
      const Query query = test::random_query(random, maker.vocabulary(), 1 + random() % 4);
      SearchSettings settings = settings_maker.draw();
      settings.mode = QueryMode::kOr;
      settings.k = std::min(settings.k, 1000U);
      const QueryScores scores(whole, test::add_up(parts, {&query, 1}), count_terms(parts, query),
                               query, settings.scorer);
      const float threshold = scores.start_threshold(settings.k);
      const auto matches = test::find_truth(collection, query, settings).float_ranking;
      if (threshold > 0) {
        ++thresholds;
        thousands += settings.k == 1000 ? 1 : 0;
        ASSERT_GE(matches.size(), settings.k) << reference::describe(query);
        ASSERT_GE(matches[settings.k - 1].score, threshold) << reference::describe(query);
      }
      for (const Hit& hit : matches) {
        const auto after = std::upper_bound(cuts.begin(), cuts.end(), hit.document);
        const auto part = static_cast<std::uint32_t>(after - cuts.begin() - 1);
        ASSERT_LE(hit.score, scores.bound(part)) << reference::describe(query);
      }
    }
  }
  EXPECT_GT(thresholds, 20);
  EXPECT_GT(thousands, 0);
}

}  // namespace
}  // namespace warpdex::shards
