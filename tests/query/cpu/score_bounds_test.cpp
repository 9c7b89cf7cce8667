// Bounds that are computed when they are asked for are those of the scorer's own formula, in
// whatever order they are asked for.
#include "cpu/score_bounds.hpp"

#include <algorithm>
#include <vector>

#include "tests/support.hpp"

namespace warpdex {
namespace {

std::vector<ScoreBound> random_bounds(std::mt19937_64& random, std::size_t count) {
  std::vector<ScoreBound> bounds(count);
  for (ScoreBound& bound : bounds) {
    for (auto& code : bound.frequencies) code = static_cast<std::uint8_t>(1 + random() % 100);
    for (auto& code : bound.lengths) code = static_cast<std::uint8_t>(random() % 120);
  }
  return bounds;
}

float expected(const ScoreBound& bound, const TermScorer& scorer) {
  if (scorer.kind == ScorerKind::kImpact) {
    return scorer.weight * static_cast<float>(bound.frequencies[0]);
  }
  float largest = 0;
  for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
    largest =
        std::max(largest, scorer(static_cast<std::uint32_t>(rounded_value(bound.frequencies[pair])),
                                 static_cast<std::uint32_t>(rounded_value(bound.lengths[pair]))));
  }
  return largest * facts_of(scorer.kind).bound_slack;
}

TEST(ScoreBounds, AreRightInAnyOrder) {
  auto random = test::generator(72);
  const TermScorer scorers[] = {{ScorerKind::kBm25, 2.5F, 0.3F, 0.002F},
                                {ScorerKind::kQueryLikelihood, 1.0F, 0.01F, 1000.0F},
                                {ScorerKind::kBm25Plus, 2.5F, 0.3F, 0.002F, 0.5F},
                                {ScorerKind::kBm25Lucene, 2.5F, 0.3F, 0.002F},
                                {ScorerKind::kJelinekMercer, 1.5F, 3000.0F},
                                {ScorerKind::kImpact, 2.0F}};
  for (const TermScorer& scorer : scorers) {
    for (const std::size_t count : {1, 2, 15, 16, 17, 100}) {
      const std::vector<ScoreBound> stored = random_bounds(random, count);
      ScoreBounds bounds;
      bounds.reset(stored, scorer);
      ASSERT_EQ(bounds.size(), count);
      for (int i = 0; i < 300; ++i) {
        const std::size_t place = random() % count;
        ASSERT_EQ(bounds[place], expected(stored[place], scorer)) << place << " of " << count;
      }
      float largest = 0;
      for (std::size_t i = count / 2; i < count; ++i) {
        largest = std::max(largest, expected(stored[i], scorer));
      }
      ASSERT_EQ(bounds.largest(count / 2, count), largest);
      ASSERT_EQ(bounds.largest(count, count), 0);
    }
  }
}

// Pairs say nothing of PL2.
TEST(ScoreBounds, AreTheLargestScoreWherePairsBoundNone) {
  auto random = test::generator(73);
  const std::vector<ScoreBound> stored = random_bounds(random, 40);
  const TermScorer scorer{ScorerKind::kPl2, 1.0F, 0.5F, 100.0F};
  ScoreBounds bounds;
  bounds.reset(stored, scorer, 7.0F);
  for (std::size_t place = 0; place < bounds.size(); ++place) ASSERT_EQ(bounds[place], 7.0F);
  EXPECT_EQ(bounds.largest(3, 30), 7.0F);
}

}  // namespace
}  // namespace warpdex
