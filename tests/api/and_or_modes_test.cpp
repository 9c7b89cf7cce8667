// and-or where a query was read by its mode: over several fields, with synonyms, in Lucene's
// syntax; with filters, sorted, and beside vectors. Its answer is that of one of the other modes.
#include <gmock/gmock.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

class AndOrModes : public testing::Test {
 protected:
  std::string draw_word() { return "w" + std::to_string(random_() % (1 + random_() % 40)); }

  std::string draw_text() {
    std::string text;
    for (std::size_t n = 1 + random_() % 4; n > 0; --n) {
      text += (random_() % 5 > 0 ? "" : random_() % 3 > 0 ? "+" : "-") + draw_word() + " ";
    }
    return text;
  }

  SearchOptions draw_options() {
    SearchOptions options{.mode = QueryMode::kAndOr};
    options.k = std::array{1U, 10U, 100U}[random_() % 3];
    options.and_or_min = std::array{0U, 1U, 5U, 33U, 20'000U}[random_() % 5];
    options.count = random_() % 2 == 0;
    if (random_() % 2 == 0) options.scorer.kind = ScorerKind::kQueryLikelihood;
    return options;
  }

  /// Documents with three texts and a year.
  void make_several() {
    std::vector<Document> documents = test::word_documents(random_, 0, 900, 40, 14);
    for (Document& document : documents) {
      document.texts = {draw_word(), std::move(document.text), draw_word() + " " + draw_word()};
      document.text.clear();
      document.values = {{FieldValue(std::int64_t(random_() % 7))}};
    }
    BuildOptions build = test::plain_build(folder_ / "several");
    build.schema = parse_schema(
        R"({"fields": {"title": {"type": "text", "weight": 2}, "body": {"type": "text"},
                       "note": {"type": "text"}, "year": {"type": "int"}}})");
    build_index(*documents_from_memory(std::move(documents)), build);
  }

  std::mt19937_64 random_ = test::generator(5411);
  test::TemporaryFolder folder_{test::place_in_memory()};
};

std::vector<Hit> hits_of_answer(const Answer& answer) {
  std::vector<Hit> hits;
  for (const AnswerHit hit : answer) hits.push_back({hit.document(), hit.score()});
  return hits;
}

/// Compares with the mode that answers, which is told from AND's matches. Returns whether it is OR.
bool expect_one_of_the_modes(const Searcher& searcher, const SearchRequest& request,
                             const SearchOptions& options) {
  const std::uint32_t least = options.and_or_min == 0 ? options.k : options.and_or_min;
  SearchOptions one = options;
  one.mode = QueryMode::kAnd;
  one.count = true;
  one.explain = false;
  const bool falls_back = searcher.search(request.text, one).matches < least;
  one.mode = falls_back ? QueryMode::kOr : QueryMode::kAnd;
  one.count = options.count;
  const Answer wanted = searcher.search(request, one);
  const Answer found = searcher.search(request, options);
  EXPECT_EQ(found.fell_back_to_or, falls_back);
  EXPECT_EQ(hits_of_answer(found), hits_of_answer(wanted));
  EXPECT_TRUE(!found.matches_exact || found.matches == wanted.matches);
  EXPECT_EQ(found.facets, wanted.facets);
  for (const AnswerHit hit : found) {
    EXPECT_TRUE(hit.explanation() == nullptr || hit.explanation()->score == hit.score());
  }
  return falls_back;
}

TEST_F(AndOrModes, IsTheAnswerOfOneOfTheModes) {
  make_several();
  build_index(*documents_from_memory(test::word_documents(random_, 0, 600, 60, 9)),
              test::plain_build(folder_ / "one"));
  const Searcher several(folder_ / "several", {.threads = 2});
  const Searcher one(folder_ / "one");
  std::array<std::size_t, 2> answers{};
  for (int round = 0; round < 150; ++round) {
    SearchOptions options = draw_options();
    if (random_() % 2 == 0) options.syntax = QuerySyntax::kLucene;
    if (round % 3 == 0 || random_() % 3 == 0) {
      options.searched.synonyms = parse_synonyms("w1, w2\nw3 => w0\nw7, w8, w9", "rules");
    }
    if (round % 3 > 0) {
      options.searched.type = std::array{FieldsType::kMostFields, FieldsType::kBestFields,
                                         FieldsType::kCombinedFields}[random_() % 3];
      if (random_() % 2 == 0) options.filter = "year < 5";
      if (random_() % 3 == 0) options.sort = {{.column = "year"}};
      if (random_() % 3 == 0) options.facets = {{.column = "year"}};
    }
    if (options.searched.type == FieldsType::kCombinedFields) options.scorer = {};
    options.explain = random_() % 2 == 0;
    const SearchRequest request{.text = draw_text()};
    SCOPED_TRACE(request.text);
    ++answers[expect_one_of_the_modes(round % 3 > 0 ? several : one, request, options) ? 1 : 0];
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(answers[0], 10U);
  EXPECT_GT(answers[1], 10U);
}

TEST_F(AndOrModes, WordsGoWithVectors) {
  NewIndex settings;
  settings.analyzer = "whitespace";
  settings.schema = parse_schema(R"({"fields": {"a": {"type": "text"}, "b": {"type": "text"}}})");
  settings.vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = 2};
  {
    Writer writer(folder_ / "near", settings, {});
    for (int i = 0; i < 300; ++i) {
      writer.add({.id = std::to_string(i),
                  .fields = {{"a", draw_word() + " " + draw_word()}, {"b", draw_word()}},
                  .vector = {static_cast<float>(i % 17), static_cast<float>(i % 13)}});
    }
    writer.commit();
  }
  const Searcher searcher(folder_ / "near");
  for (const Fusion fusion : {Fusion::kFilter, Fusion::kNeighbors, Fusion::kReciprocalRank}) {
    for (int round = 0; round < 20; ++round) {
      SearchOptions options = draw_options();
      options.count = false;
      options.fusion.fusion = fusion;
      if (round % 2 == 0) options.searched.fields = {{"a"}};
      expect_one_of_the_modes(searcher, {.text = draw_word() + " " + draw_word(), .vector = {3, 4}},
                              options);
    }
  }
}

}  // namespace
}  // namespace warpdex
