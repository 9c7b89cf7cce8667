// Vectors of a schema through Writer, Searcher and IndexReader. Answers are tested in tests/query;
// here, that names find them, and that mistakes are told.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

constexpr const char* kTwo = R"({"fields": {
    "title_vec": {"type": "vector", "dimension": 2, "metric": "l2"},
    "body_vec": {"type": "vector", "dimension": 3, "metric": "ip"}}})";

/// Of id "d<i>", text "w<i % 5>", and vectors that tell i.
NewDocument numbered(int i) {
  const auto x = static_cast<float>(i);
  return {.id = "d" + std::to_string(i),
          .text = "w" + std::to_string(i % 5),
          .vectors = {{"title_vec", {x, -x}}, {"body_vec", {x, 1, 0.5F}}}};
}

class NamedVectors : public testing::Test {
 protected:
  std::vector<std::string> ids(const Searcher& searcher, const SearchRequest& request,
                               const std::string& field, const std::string& filter = "") {
    std::vector<std::string> found;
    for (const AnswerHit hit :
         searcher.search(request, {.k = 3, .filter = filter, .vector_field = field})) {
      found.emplace_back(hit.id());
    }
    return found;
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
  const std::filesystem::path index_ = folder_ / "index";
  const NewIndex new_{.analyzer = "whitespace", .schema = parse_schema(kTwo)};
};

TEST_F(NamedVectors, AreFoundByWhatWasWritten) {
  Writer writer(index_, new_);
  for (int i = 0; i < 40; ++i) writer.add(numbered(i));
  writer.commit();
  NewDocument moved = numbered(7);
  moved.vectors["title_vec"] = {100, 100};
  writer.update(std::move(moved));
  writer.remove("d30");
  writer.commit();
  Searcher searcher(index_);
  const std::vector<std::string> near_30{"d29", "d31", "d28"};
  EXPECT_EQ(ids(searcher, {.vector = {30, -30}}, "title_vec"), near_30);
  EXPECT_EQ(ids(searcher, {.vector = {99, 100}}, "title_vec")[0], "d7");
  const std::vector<std::string> largest{"d39", "d38", "d37"};
  EXPECT_EQ(ids(searcher, {.vector = {1, 0, 0}}, "body_vec"), largest);
  const std::vector<std::string> two{"d8", "d2"};
  EXPECT_EQ(ids(searcher, {.vector = {1, 0, 0}}, "body_vec", "id IN [d2, d8]"), two);
  // Words and a vector: rrf of w0 (equal scores, so d0, d5, ...) and of the largest.
  EXPECT_EQ(ids(searcher, {.text = "w4", .vector = {1, 0, 0}}, "body_vec")[0], "d39");
  const std::vector<float> rows{30, -30, 5, -5};
  const BatchAnswer batch = searcher.search_batch({}, rows, {.k = 1, .vector_field = "title_vec"});
  ASSERT_EQ(batch.counts.size(), 2U);
  EXPECT_EQ(batch.id(batch.documents[1]), "d5");
  EXPECT_TRUE(batch.scores_are_distances);
  writer.merge();
  writer.commit();
  searcher.refresh();
  EXPECT_EQ(ids(searcher, {.vector = {30, -30}}, "title_vec"), near_30);
  const IndexReader reader(searcher);
  EXPECT_EQ(reader.vector(*reader.find("d5"), "body_vec"), (std::vector<float>{5, 1, 0.5F}));
  EXPECT_EQ(reader.vector_settings("title_vec").dimension, 2U);
  EXPECT_EQ(reader.vector_settings("body_vec").metric, vector::Metric::kInnerProduct);
}

/// Also what a later commit shares with the one before.
TEST_F(NamedVectors, AGpuAnswersAsTheCpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(735);
  const auto number = [&] { return static_cast<float>(random() % 40) / 4; };
  Writer writer(index_, new_);
  for (int i = 0; i < 400; ++i) writer.add(numbered(i));
  writer.commit();
  Searcher cpu(index_);
  Searcher gpu(index_, {.device = Device::kGpu});
  for (int round = 0; round < 3; ++round) {
    for (const auto& [field, dimension] : {std::pair("title_vec", 2), std::pair("body_vec", 3)}) {
      for (const char* words : {"", "w1 w2"}) {
        SearchRequest request{.text = words};
        for (int i = 0; i < dimension; ++i) request.vector.push_back(number());
        const SearchOptions options{.k = 30, .vector_field = field};
        const Answer wanted = cpu.search(request, options);
        const Answer found = gpu.search(request, options);
        ASSERT_EQ(found.size(), wanted.size()) << field;
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_EQ(found[i].document(), wanted[i].document()) << field;
          EXPECT_EQ(found[i].score(), wanted[i].score()) << field;
        }
      }
    }
    writer.add(numbered(1000 + round));
    writer.remove("d" + std::to_string(round));
    writer.commit();
    EXPECT_TRUE(cpu.refresh() && gpu.refresh());
  }
}

TEST_F(NamedVectors, AJournalKeepsThem) {
  {
    Writer writer(index_, new_, {.journal = true});
    for (int i = 0; i < 5; ++i) writer.add(numbered(i));
    writer.sync();
    writer.add(numbered(9));  // lost with the writer
  }
  Writer writer(index_, new_, {.journal = true});
  EXPECT_EQ(writer.recovered(), 5U);
  writer.commit();
  const Searcher searcher(index_);
  const std::vector<std::string> all{"d4", "d3", "d2"};
  EXPECT_EQ(ids(searcher, {.vector = {9, -9}}, "title_vec"), all);
}

TEST_F(NamedVectors, BadDocumentsAreRefusedOneByOne) {
  Writer writer(index_, new_);
  const auto refusal = [&](const std::map<std::string, std::vector<float>>& vectors,
                           std::vector<float> unnamed = {}) {
    return test::complaint<BadDocument>([&] {
      writer.add({.id = "x", .text = "w", .vector = std::move(unnamed), .vectors = vectors});
    });
  };
  const std::vector<float> two{1, 2};
  const std::vector<float> three{1, 2, 3};
  EXPECT_THAT(refusal({{"title_vec", two}}), HasSubstr("'x' has no vector 'body_vec'"));
  EXPECT_THAT(refusal({}), HasSubstr("'x' has no vector 'title_vec'"));
  EXPECT_THAT(refusal({{"title_vec", three}, {"body_vec", three}}),
              HasSubstr("a vector 'title_vec' of 3 components, and those of the index have 2"));
  EXPECT_THAT(refusal({{"title_vec", two}, {"body_vec", three}, {"other", two}}),
              HasSubstr("a vector 'other', and the schema has no such vector"));
  EXPECT_THAT(refusal({{"title_vec", {1, NAN}}, {"body_vec", three}}),
              HasSubstr("a vector 'title_vec' with a component that is not finite"));
  EXPECT_THAT(refusal({{"title_vec", two}, {"body_vec", three}}, two),
              HasSubstr("a vector without a name, and the index has none"));
  writer.add(numbered(1));
  writer.commit();
  EXPECT_EQ(Searcher(index_).documents(), 1U);
}

TEST_F(NamedVectors, QueriesThatDoNotFitAreRefused) {
  {
    Writer writer(index_, new_);
    writer.add(numbered(1));
    writer.commit();
  }
  const Searcher searcher(index_);
  const auto refusal = [&](std::vector<float> vector, const std::string& field) {
    return test::complaint<UsageError>(
        [&] { ids(searcher, {.vector = std::move(vector)}, field); });
  };
  EXPECT_THAT(refusal({1, 2}, ""), HasSubstr("'title_vec', 'body_vec'; name one of these"));
  EXPECT_THAT(refusal({1, 2}, "title"), HasSubstr("and none called 'title'"));
  EXPECT_THAT(refusal({1, 2, 3}, "title_vec"), HasSubstr("and those of the index have 2"));
  const IndexReader reader(searcher);
  EXPECT_THROW(reader.vector(0), UsageError);
  EXPECT_THROW(reader.vector_settings("title"), UsageError);
  // One set alone needs no name.
  const std::filesystem::path one = folder_ / "one";
  {
    Writer writer(
        one, {.schema = parse_schema(R"({"fields": {"v": {"type": "vector", "dimension": 2}}})")});
    writer.add({.id = "a", .text = "x", .vectors = {{"v", {1, 2}}}});
    writer.commit();
  }
  EXPECT_EQ(ids(Searcher(one), {.vector = {1, 1}}, "").size(), 1U);
}

}  // namespace
}  // namespace warpdex
