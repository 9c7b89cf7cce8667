// The comparison must accept what the contract allows and refuse every kind of wrong answer.
#include "tests/reference/compare.hpp"

#include <algorithm>
#include <limits>

#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"

namespace warpdex::reference {
namespace {

/// Twelve matches of clearly different scores, but for the two pairs that tests ask for.
class Comparison : public testing::Test {
 protected:
  Comparison() {
    settings_.k = 10;
    ranking_.place.assign(20, -1);
    for (std::uint32_t i = 0; i < 12; ++i) add(i + 3, 12.0 - i);
    take();
  }

  void add(std::uint32_t document, double score) {
    ranking_.place[document] = static_cast<std::int64_t>(ranking_.documents.size());
    ranking_.documents.push_back({document, score, 1e-5 * score});
  }

  void set_score(std::size_t place, double score) {
    ranking_.documents[place].score = score;
    ranking_.documents[place].tolerance = 1e-5 * score;
  }

  /// The right answer for the ranking.
  void take() {
    result_.hits.clear();
    for (std::size_t i = 0; i < std::min<std::size_t>(settings_.k, ranking_.documents.size());
         ++i) {
      const RankedDocument& right = ranking_.documents[i];
      result_.hits.push_back({right.document, static_cast<float>(right.score)});
    }
    result_.matches = ranking_.documents.size();
  }

  std::string judge() const { return difference(ranking_, result_, settings_); }
  void expect_refused(const std::string& part) const {
    const std::string message = judge();
    EXPECT_NE(message.find(part), std::string::npos) << "the message was: " << message;
  }

  Ranking ranking_;
  SearchResult result_;
  SearchSettings settings_;
};

TEST_F(Comparison, AcceptsTheRightAnswer) {
  EXPECT_EQ(judge(), "");
  settings_.count = true;
  EXPECT_EQ(judge(), "");
  settings_.k = 100;
  take();
  EXPECT_EQ(judge(), "");
}

TEST_F(Comparison, AcceptsTheEmptyAnswerOfNoMatches) {
  ranking_.documents.clear();
  std::fill(ranking_.place.begin(), ranking_.place.end(), -1);
  result_ = {};
  EXPECT_EQ(judge(), "");
  settings_.mode = QueryMode::kAndOr;
  result_.fell_back_to_or = true;
  EXPECT_EQ(judge(), "");
}

TEST_F(Comparison, AcceptsScoresWithinTheTolerance) {
  result_.hits[4].score *= 1.000009F;
  EXPECT_EQ(judge(), "");
}

TEST_F(Comparison, AcceptsSwappedDocumentsOfNearlyEqualScores) {
  set_score(6, ranking_.documents[5].score * (1 - 5e-6));
  take();
  std::swap(result_.hits[5].document, result_.hits[6].document);
  EXPECT_EQ(judge(), "");
}

TEST_F(Comparison, AcceptsEitherOfNearlyEqualDocumentsAtTheLastPlace) {
  set_score(10, ranking_.documents[9].score * (1 - 5e-6));
  take();
  result_.hits[9].document = ranking_.documents[10].document;
  EXPECT_EQ(judge(), "");
}

TEST_F(Comparison, RefusesADocumentThatDoesNotMatch) {
  result_.hits[3].document = 1;
  expect_refused("does not match");
  result_.hits[3].document = 4'000'000'000;
  expect_refused("does not match");
}

TEST_F(Comparison, RefusesAWorseDocumentInThePlaceOfABetter) {
  const RankedDocument& eleventh = ranking_.documents[10];
  result_.hits[9] = {eleventh.document, static_cast<float>(eleventh.score)};
  expect_refused("left out");
}

TEST_F(Comparison, RefusesSwappedDocumentsOfDistinctScores) {
  std::swap(result_.hits[2], result_.hits[3]);
  expect_refused("not sorted");
  std::swap(result_.hits[2].score, result_.hits[3].score);
  expect_refused("scores");
}

TEST_F(Comparison, RefusesDocumentsPlacedByScoresThatTheToleranceOnlyJustLetsPass) {
  // 1.8e-5 apart, claimed to be the other way round by scores that are each within tolerance.
  set_score(6, ranking_.documents[5].score * (1 - 1.8e-5));
  take();
  std::swap(result_.hits[5].document, result_.hits[6].document);
  const double middle = ranking_.documents[5].score * (1 - 0.9e-5);
  result_.hits[5].score = static_cast<float>(middle * (1 + 2e-7));
  result_.hits[6].score = static_cast<float>(middle);
  expect_refused("stands below");
}

TEST_F(Comparison, RefusesEqualScoresOutOfTheOrderOfDocuments) {
  set_score(6, ranking_.documents[5].score);
  take();
  EXPECT_EQ(judge(), "");
  std::swap(result_.hits[5], result_.hits[6]);
  expect_refused("not sorted");
}

TEST_F(Comparison, RefusesAWrongScore) {
  result_.hits[4].score *= 1.00002F;
  expect_refused("scores");
  result_.hits[4].score = std::numeric_limits<float>::quiet_NaN();
  expect_refused("scores");
}

TEST_F(Comparison, RefusesTooFewAndTooManyHits) {
  const Hit last = result_.hits.back();
  result_.hits.pop_back();
  expect_refused("9 hits instead of 10");
  result_.hits.push_back(last);
  result_.hits.push_back({ranking_.documents[10].document, 2});
  expect_refused("11 hits instead of 10");
  result_.hits.clear();
  expect_refused("0 hits instead of 10");
}

TEST_F(Comparison, RefusesADocumentThatComesTwice) {
  result_.hits[4] = result_.hits[3];
  expect_refused("comes twice");
}

TEST_F(Comparison, RefusesAWrongNumberOfMatches) {
  result_.matches = 11;
  EXPECT_EQ(judge(), "") << "a lower bound";
  settings_.count = true;
  expect_refused("11 matches counted");
  settings_.count = false;
  result_.matches = 13;
  expect_refused("lower bound");
}

TEST_F(Comparison, RefusesTheWrongChoiceBetweenAndAndOr) {
  settings_.mode = QueryMode::kAndOr;
  result_.fell_back_to_or = true;
  expect_refused("should not be or's");
  result_.fell_back_to_or = false;
  ranking_.fell_back_to_or = true;
  expect_refused("should be or's");
}

TEST(Describe, NamesTheConfiguration) {
  SearchSettings settings;
  settings.count = true;
  EXPECT_EQ(describe(settings), "mode=or scorer=bm25/lucene,k1=0.9,b=0.4 k=10 count");
  settings.mode = QueryMode::kAndOr;
  settings.count = false;
  settings.scorer.kind = ScorerKind::kQueryLikelihood;
  EXPECT_EQ(describe(settings), "mode=and-or scorer=qld,mu=1000 k=10 and_or_min=0");
  EXPECT_EQ(describe(query_from("+a -b c c")), "query=[+a -b c c]");
}

}  // namespace
}  // namespace warpdex::reference
