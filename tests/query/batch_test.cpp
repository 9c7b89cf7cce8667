// A batch over threads: every query is answered once, and the answers are in the queries' order.
#include "warpdex/query/cpu/batch.hpp"

#include <string>
#include <vector>

#include "tests/query/engine_support.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// Term i is in every (i + 1)-th document, so that queries differ in their answers and in how many
/// postings they have.
reference::Collection make_collection() {
  reference::Collection collection;
  for (int document = 0; document < 500; ++document) {
    std::string text = "all";
    for (int term = 0; term < 40; ++term) {
      if (document % (term + 1) == 0) text += " t" + std::to_string(term);
    }
    reference::add_text(collection, text);
  }
  return collection;
}

TEST(Batch, AnswersAreCompleteAndInTheOrderOfTheQueries) {
  const test::TemporaryFolder folder;
  test::write_index(make_collection(), {}, folder / "index");
  const Index index = Index::open(folder / "index");
  SearchSettings settings;
  settings.count = true;
  CpuSearcher searcher(index);
  for (const std::size_t size : {0, 1, 2, 33}) {
    std::vector<Query> queries;
    std::vector<SearchResult> expected;
    for (std::size_t i = 0; i < size; ++i) {
      // Rare and frequent terms in turn, and one that is unknown.
      const std::size_t term = i * 17 % 41;
      queries.push_back(reference::query_from("t" + std::to_string(term)));
      expected.push_back(searcher.search(queries.back(), settings));
    }
    for (std::size_t threads = 0; threads <= 5; ++threads) {
      const std::vector<SearchResult> results = search_batch(index, queries, settings, threads);
      ASSERT_EQ(results.size(), size);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(results[i].matches, expected[i].matches) << "query " << i << " of " << size;
        ASSERT_EQ(results[i].hits, expected[i].hits) << "query " << i << " of " << size;
      }
    }
  }
}

TEST(Batch, RefusesSettingsOutOfRangeWithoutQueries) {
  const test::TemporaryFolder folder;
  test::write_index(make_collection(), {}, folder / "index");
  const Index index = Index::open(folder / "index");
  SearchSettings settings;
  settings.k = 0;
  EXPECT_THROW(search_batch(index, {}, settings, 2), UsageError);
}

}  // namespace
}  // namespace warpdex
