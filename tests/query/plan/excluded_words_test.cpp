// Words of several terms that a query excludes: documents that have all of them, on every index.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

// "covid" is in two documents, "19" in four, "year" in all but one.
const std::vector<Document> kTexts{{"both", "covid 19 year"}, {"covid", "covid year"},
                                   {"number", "19 year"},     {"other", "chapter 19 year"},
                                   {"third", "19 year end"},  {"none", "year"},
                                   {"without", "end"}};

class ExcludedWords : public ::testing::Test {
 protected:
  void SetUp() override {
    BuildOptions options;
    options.output = folder_ / "index";
    options.analyzer = "standard";
    options.threads = 1;
    const auto reader = documents_from_memory(kTexts);
    build_index(*reader, options);
  }

  /// The names of all answers.
  std::set<std::string> answers(const std::string& text, QueryMode mode = QueryMode::kOr) const {
    const Snapshot snapshot = Snapshot::open(folder_ / "index");
    const auto analyzer = make_analyzer("standard");
    SearchSettings settings;
    settings.mode = mode;
    settings.k = 1000;
    std::set<std::string> names;
    CpuSearcher searcher(snapshot);
    for (const Hit& hit :
         searcher.search(parse_query("1", text, QuerySyntax::kSigned, *analyzer), settings).hits) {
      names.emplace(snapshot.document_name(hit.document));
    }
    return names;
  }

  test::TemporaryFolder folder_;
};

using Names = std::set<std::string>;

TEST_F(ExcludedWords, ExcludeDocumentsWithAllTerms) {
  const Names without_both{"covid", "number", "other", "third", "none"};
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd}) {
    EXPECT_EQ(answers("-covid-19 year", mode), without_both);
    EXPECT_EQ(answers("year -19/covid", mode), without_both);
    EXPECT_EQ(answers("year -covid -19", mode), Names{"none"}) << "two words of one term each";
    EXPECT_EQ(answers("year -covid-19 -chapter-19", mode),
              (Names{"covid", "number", "third", "none"}));
    EXPECT_EQ(answers("year -covid-19 -end", mode), (Names{"covid", "number", "other", "none"}));
    EXPECT_EQ(answers("year -19-19", mode), (Names{"covid", "none"})) << "one term, twice";
  }
  // No document has the word where none has one of its terms.
  EXPECT_EQ(answers("year -covid-20").size(), 6U);
  EXPECT_EQ(answers("-covid-19"), Names{});
}

TEST_F(ExcludedWords, InSeveralSegments) {
  LivingIndex index(folder_ / "index");
  const auto more = documents_from_memory({{"more", "covid year"}, {"again", "covid year"}});
  AddOptions options;
  options.build.threads = 1;
  index.add(*more, options);
  for (const std::string id : {"number", "other", "third"}) ASSERT_TRUE(index.remove(id));
  index.commit();
  EXPECT_EQ(answers("year -covid-19"), (Names{"covid", "more", "again", "none"}));
  EXPECT_EQ(answers("year -covid-year"), Names{"none"});
}

TEST_F(ExcludedWords, AreNoTermsOfThePlan) {
  const Index index = Index::open(folder_ / "index");
  const PlannedQuery plan = plan_query(index, {"7",
                                               {{"year"},
                                                {"19", Occur::kMustNot, 1, 1},
                                                {"covid", Occur::kMustNot, 1, 1},
                                                {"end", Occur::kMustNot},
                                                {"19", Occur::kMustNot, 1, 2},
                                                {"unknown", Occur::kMustNot, 1, 2}}});
  EXPECT_EQ(plan.terms.size(), 2U);
  ASSERT_EQ(plan.excluded_words.size(), 1U);
  EXPECT_EQ(plan.excluded_words[0].size(), 2U);
  EXPECT_TRUE(excludes_words(plan));
}

// Against a plain look at each document, over random texts and every mode.
TEST_F(ExcludedWords, AgreeWithALookAtEachDocument) {
  std::mt19937_64 random = test::generator(211);
  std::vector<Document> documents;
  std::vector<std::set<std::string>> words_of;
  for (int i = 0; i < 700; ++i) {
    std::string text = "all";
    std::set<std::string> words{"all"};
    for (int j = 0; j < 12; ++j) {
      if (random() % 3 == 0) words.insert("w" + std::to_string(j));
    }
    for (const std::string& word : words) text += " " + word;
    documents.push_back({"d" + std::to_string(i), text});
    words_of.push_back(words);
  }
  BuildOptions options;
  options.output = folder_ / "index";
  options.analyzer = "standard";
  build_index(*documents_from_memory(documents), options);
  for (int i = 0; i < 60; ++i) {
    const auto word = [&] { return "w" + std::to_string(random() % 12); };
    const std::string wanted = word();
    const std::vector<std::string> parts{word(), word(), word()};
    const std::string text = wanted + " -" + parts[0] + "-" + parts[1] + " -" + parts[2];
    Names expected;
    for (std::size_t d = 0; d < documents.size(); ++d) {
      const std::set<std::string>& has = words_of[d];
      const bool is_excluded =
          (has.contains(parts[0]) && has.contains(parts[1])) || has.contains(parts[2]);
      if (has.contains(wanted) && !is_excluded) expected.insert(documents[d].id);
    }
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd}) {
      EXPECT_EQ(answers(text, mode), expected) << text;
    }
  }
}

}  // namespace
}  // namespace warpdex
