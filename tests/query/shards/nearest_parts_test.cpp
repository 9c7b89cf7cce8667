// Vectors over parts, alone and with words: answers are those of one index of what is live in all
// parts, to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/local_parts.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex::shards {
namespace {

constexpr std::size_t kComponents = 5;

class NearestParts : public testing::TestWithParam<vector::Metric> {
 protected:
  void SetUp() override {
    for (const std::string part : {"0", "1", "2"}) {
      std::vector<Document> documents = draw(150);
      build(folder_ / part, {documents.begin(), documents.begin() + 90});
      LivingIndex index(folder_ / part);
      index.add(*documents_from_memory({documents.begin() + 90, documents.end()}));
      std::erase_if(documents, [&](const Document& document) {
        return test::chance(random_, 20) && index.remove(document.id);
      });
      index.commit();
      live_.insert(live_.end(), documents.begin(), documents.end());
    }
    build(folder_ / "whole", live_);
  }

  static void build(const std::filesystem::path& output, std::vector<Document> documents,
                    const std::string& kind = "flat") {
    BuildOptions options;
    options.output = output;
    options.analyzer = "whitespace";
    options.vectors = vector::RowSettings{
        GetParam(),
        GetParam() == vector::Metric::kCosine ? vector::Store::kHalf : vector::Store::kFloat,
        kComponents,
        {.kind = kind}};
    options.threads = 1;
    build_index(*documents_from_memory(std::move(documents)), options);
  }

  /// Of few different components, so that many documents are equally near.
  std::vector<float> row() {
    std::vector<float> row(kComponents);
    for (float& component : row) component = static_cast<float>(1 + random_() % 4) / 2 - 1.25F;
    return row;
  }

  std::string word() { return "w" + std::to_string(test::below(random_, 1 + random_() % 30)); }

  std::vector<Document> draw(std::size_t count) {
    std::vector<Document> documents(count);
    for (Document& document : documents) {
      document.id = "d" + std::to_string(next_++);
      for (std::uint64_t words = test::below(random_, 12); words > 0; --words) {
        document.text += word() + " ";
      }
      document.embedding = row();
    }
    return documents;
  }

  test::LocalParts open_parts() const {
    return test::LocalParts({Snapshot::open(folder_ / "0"), Snapshot::open(folder_ / "1"),
                             Snapshot::open(folder_ / "2")});
  }

  static void expect_same(const MergedAnswer& answer, const SearchResult& one,
                          const Snapshot& whole) {
    ASSERT_EQ(answer.hits.size(), one.hits.size());
    ASSERT_EQ(answer.names.size(), one.hits.size());
    for (std::size_t rank = 0; rank < one.hits.size(); ++rank) {
      ASSERT_EQ(answer.names[rank], whole.document_name(one.hits[rank].document)) << rank;
      ASSERT_EQ(answer.hits[rank].score, one.hits[rank].score) << rank;
    }
    EXPECT_TRUE(answer.is_complete);
  }

  test::Random random_ = test::generator(8100 + static_cast<std::uint64_t>(GetParam()));
  test::TemporaryFolder folder_{test::place_in_memory()};
  std::vector<Document> live_;
  int next_ = 0;
};

TEST_P(NearestParts, AreThoseOfOneIndex) {
  const Snapshot whole = Snapshot::open(folder_ / "whole");
  HybridSearcher searcher(whole, 1);
  test::LocalParts parts = open_parts();
  for (const std::uint32_t k : {1U, 10U, 127U, 1000U}) {
    std::vector<float> rows;
    for (int i = 0; i < 3; ++i) {
      const std::vector<float> one = row();
      rows.insert(rows.end(), one.begin(), one.end());
    }
    const MergedBatch found = parts.broker().nearest(rows, k, {.wants_names = true});
    const std::vector<SearchResult> wanted = searcher.nearest(rows, k);
    ASSERT_EQ(found.answers.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same(found.answers[i], wanted[i], whole));
    }
  }
}

TEST_P(NearestParts, WithWordsAreThoseOfOneIndex) {
  const Snapshot whole = Snapshot::open(folder_ / "whole");
  HybridSearcher searcher(whole, 1);
  test::LocalParts parts = open_parts();
  for (int i = 0; i < 60; ++i) {
    const Query query{.id = {}, .terms = {{word()}, {word()}}};
    const std::vector<float> vector = row();
    const SearchSettings settings{.mode = static_cast<QueryMode>(random_() % 3),
                                  .k = static_cast<std::uint32_t>(1 + random_() % 40),
                                  .scorer = {}};
    const FusionSettings fusion{
        .fusion = random_() % 2 == 0 ? Fusion::kReciprocalRank : Fusion::kConvex,
        .weight = 0.25F,
        .depth = static_cast<std::uint32_t>(1 + random_() % 90)};
    const MergedBatch found =
        parts.broker().search_hybrid({&query, 1}, vector, settings, fusion, {.wants_names = true});
    const SearchResult one = searcher.search({&query, 1}, vector, settings, fusion).at(0);
    ASSERT_NO_FATAL_FAILURE(expect_same(found.answers.at(0), one, whole)) << i;
  }
}

TEST_P(NearestParts, WhatIsMissingIsTold) {
  test::LocalParts parts = open_parts();
  parts.replace_replies([](const PartMessage& message) {
    return PartReply{.bytes = {}, .failure = message.part == 1 ? "timed out" : ""};
  });
  const std::vector<float> vector = row();
  EXPECT_THROW(parts.broker().nearest(vector, 5), IoError);
  const BrokerSettings partial{.on_missing = OnMissing::kPartial};
  const MergedBatch found = parts.broker().nearest(vector, 5, partial);
  EXPECT_EQ(found.coverage.missing.at(0).part, 1U);
  EXPECT_FALSE(found.answers.at(0).is_complete);
  EXPECT_TRUE(std::isinf(found.answers.at(0).max_missing_score));
  const Query query{.id = {}, .terms = {{"w0"}}};
  const MergedBatch both = parts.broker().search_hybrid({&query, 1}, vector, {}, {}, partial);
  EXPECT_EQ(both.coverage.missing.size(), 1U);
  EXPECT_EQ(both.coverage.searched, found.coverage.searched);
  EXPECT_FALSE(both.answers.at(0).is_complete);
}

TEST_P(NearestParts, WhatPartsCannotAnswerIsRefused) {
  test::LocalParts parts = open_parts();
  const std::vector<float> vector = row();
  const Query query{.id = {}, .terms = {{"w0"}}};
  EXPECT_THROW(parts.broker().nearest(std::span(vector).first(3), 5), UsageError);
  EXPECT_THROW(parts.broker().nearest(vector, 0), UsageError);
  EXPECT_THROW(parts.broker().search_hybrid({}, vector, {}, {}), UsageError);
  EXPECT_THROW(parts.broker().search_hybrid({&query, 1}, vector, {}, {.fusion = Fusion::kRerank}),
               UsageError);
  build(folder_ / "lists", {live_.begin(), live_.begin() + 9}, "ivf-flat");
  test::LocalParts with_lists({Snapshot::open(folder_ / "lists")});
  EXPECT_THROW(with_lists.broker().nearest(vector, 5), UsageError);
}

TEST(NamedParts, AreSearchedByWordsAlone) {
  const test::TemporaryFolder folder{test::place_in_memory()};
  BuildOptions options;
  options.output = folder / "named";
  options.schema =
      parse_schema(R"({"fields": {"v": {"type": "vector", "dimension": 2, "metric": "l2"}}})");
  build_index(*documents_from_memory({{.id = "a", .text = "sea", .embeddings = {{1, 2}}}}),
              options);
  test::LocalParts parts({Snapshot::open(folder / "named")});
  const Query query{.id = {}, .terms = {{"sea"}}};
  const SearchSettings settings;
  EXPECT_EQ(parts.broker().search({&query, 1}, {&settings, 1}).answers.at(0).hits.size(), 1U);
  try {
    parts.broker().nearest(std::vector<float>{1, 2}, 5);
    FAIL() << "it was answered";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("the vectors of a schema alone"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, NearestParts,
                         testing::Values(vector::Metric::kL2, vector::Metric::kInnerProduct,
                                         vector::Metric::kCosine));

}  // namespace
}  // namespace warpdex::shards
