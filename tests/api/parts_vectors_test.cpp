// Vectors of an index in parts, alone and with words: answers are those of one index.
#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/api/whole_and_parts.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

constexpr std::size_t kDimension = 3;

class PartsVectorsTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  PartsVectorsTest() {
    settings_.analyzer = "whitespace";
    settings_.stored = {"note"};
    settings_.vectors = vector::RowSettings{.metric = static_cast<vector::Metric>(GetParam() % 3),
                                            .dimension = kDimension};
  }

  /// Of few different components, so that many documents are equally near.
  std::vector<float> row() {
    std::vector<float> row(kDimension);
    for (float& component : row) component = static_cast<float>(1 + random_() % 4) / 2 - 1.25F;
    return row;
  }
  std::string word() { return "w" + std::to_string(random_() % (1 + random_() % 12)); }

  std::vector<NewDocument> draw(std::size_t count) {
    std::vector<NewDocument> documents(count);
    for (std::size_t i = 0; i < count; ++i) {
      documents[i].id = "d" + std::to_string(i);
      documents[i].text = word() + " " + word();
      documents[i].fields["note"] = word() + " note";
      documents[i].vector = row();
    }
    return documents;
  }

  std::mt19937_64 random_ = test::generator(7950 + GetParam());
  NewIndex settings_;
};

TEST_P(PartsVectorsTest, AnswersAreThoseOfOneIndex) {
  const test::WholeAndParts whole(random_, settings_, test::parts_of(GetParam()), draw(150));
  for (int round = 0; round < 20; ++round) {
    SearchOptions options;
    options.k = 1 + static_cast<std::uint32_t>(random_() % 40);
    options.mode = static_cast<QueryMode>(random_() % 3);
    options.fusion.fusion = random_() % 2 == 0 ? Fusion::kReciprocalRank : Fusion::kConvex;
    options.fusion.depth = 1 + static_cast<std::uint32_t>(random_() % 60);
    options.vectors_alone = round % 3 == 0;
    options.fields = {"note"};
    if (round % 4 == 1) options.syntax = QuerySyntax::kLucene;
    const std::string text =
        round % 4 != 1 ? word() + " " + word() : "+(" + word() + " w1*) (w2 AND " + word() + ")";
    const std::vector<float> vector = row();
    const std::vector<std::string_view> texts{text};
    const PartedBatch batch = whole.parts().search(texts, vector, options);
    const Answer wanted = whole.one().search(SearchRequest{text, vector}, options);
    ASSERT_NO_FATAL_FAILURE(test::expect_same(batch.answers.at(0), wanted)) << text;
    EXPECT_EQ(batch.scores_are_distances, wanted.scores_are_distances);
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      ASSERT_EQ(batch.answers[0].hits[rank].fields.at(0).text, wanted[rank].field("note"));
    }
  }
}

TEST_P(PartsVectorsTest, WhatPartsCannotAnswerIsRefused) {
  const test::WholeAndParts whole(random_, settings_, 2, draw(20));
  const std::vector<float> vector = row();
  const auto refusal = [&](std::string_view text, const SearchOptions& options) {
    return test::complaint<UsageError>([&] { whole.parts().search({&text, 1}, vector, options); });
  };
  SearchOptions options;
  options.fusion.fusion = Fusion::kRerank;
  EXPECT_THAT(refusal("w0", options), HasSubstr("rrf or convex"));
  options = {};
  options.count = true;
  EXPECT_THAT(refusal("w0", options), HasSubstr("by words alone"));
  options = {};
  options.vectors_alone = true;
  const std::vector<std::string_view> texts{"w0"};
  EXPECT_THROW(whole.parts().search(texts, options), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PartsVectorsTest, testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace warpdex
