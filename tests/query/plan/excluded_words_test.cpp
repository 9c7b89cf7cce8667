// Words of several terms that a query excludes: by the rarest term, on every index.
#include <gtest/gtest.h>

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
const std::vector<Document> kDocuments{{"both", "covid 19 year"}, {"covid", "covid year"},
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
    const auto reader = documents_from_memory(kDocuments);
    build_index(*reader, options);
  }

  /// The names of all answers.
  std::set<std::string> answers(const std::string& text, QueryMode mode = QueryMode::kOr) const {
    const Snapshot snapshot = Snapshot::open(folder_ / "index");
    const auto analyzer = make_analyzer("standard");
    SearchSettings settings;
    settings.mode = mode;
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

TEST_F(ExcludedWords, GoByTheRarestTerm) {
  const Names without_covid{"number", "other", "third", "none"};
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd}) {
    EXPECT_EQ(answers("-covid-19 year", mode), without_covid);
    EXPECT_EQ(answers("year -19/covid", mode), without_covid);
    EXPECT_EQ(answers("year -covid -19", mode), Names{"none"}) << "two words of one term each";
    // Each word by its own rarest term: covid and chapter.
    EXPECT_EQ(answers("year -covid-19 -chapter-19", mode), (Names{"number", "third", "none"}));
  }
  // No document has the word where none has one of its terms.
  EXPECT_EQ(answers("year -covid-20").size(), 6U);
  EXPECT_EQ(answers("-covid-19"), Names{});
}

TEST_F(ExcludedWords, CountLiveDocuments) {
  LivingIndex index(folder_ / "index");
  const auto more = documents_from_memory({{"more", "covid year"}, {"again", "covid year"}});
  AddOptions options;
  options.build.threads = 1;
  index.add(*more, options);
  for (const std::string id : {"number", "other", "third"}) ASSERT_TRUE(index.remove(id));
  index.commit();
  // Four documents have "covid" now, and one has "19".
  EXPECT_EQ(answers("year -covid-19"), (Names{"covid", "more", "again", "none"}));
}

TEST_F(ExcludedWords, ArePlannedAsOneTerm) {
  const Index index = Index::open(folder_ / "index");
  const Query query{"7",
                    {{"year"},
                     {"19", Occur::kMustNot, 1, 1},
                     {"covid", Occur::kMustNot, 1, 1},
                     {"end", Occur::kMustNot}}};
  const Query kept{"7", {{"year"}, {"covid", Occur::kMustNot}, {"end", Occur::kMustNot}}};
  EXPECT_EQ(with_rarest_exclusions(index, query), kept);
  EXPECT_EQ(with_rarest_exclusions(index, kept), kept);
  EXPECT_EQ(plan_query(index, query).terms.size(), 3U);
}

}  // namespace
}  // namespace warpdex
