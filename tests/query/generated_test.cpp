// The engine over a generated index, judged by the oracle: its lists have what random ones lack,
// as dense runs, bursts, and frequencies that follow lengths.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/query/engine_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/generate/generator.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

/// All that the index holds, as the oracle takes it.
reference::Collection read_collection(const Index& index) {
  std::vector<std::vector<std::string>> terms(index.counts().documents);
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      terms[postings.docids[i]].insert(terms[postings.docids[i]].end(), postings.frequencies[i],
                                       std::string(term));
    }
  });
  reference::Collection collection;
  for (std::size_t document = 0; document < terms.size(); ++document) {
    const std::vector<std::string_view> views(terms[document].begin(), terms[document].end());
    collection.add_document_of_length(views, index.lengths()[document]);
  }
  return collection;
}

TEST(Generated, EngineAgreesWithTheOracle) {
  const test::TemporaryFolder folder;
  generate::GeneratorSettings settings = generate::gov2_settings();
  settings.documents = 30'000;
  settings.queries = 60;
  settings.seed = test::seed();
  generate::GeneratorReport report;
  const std::vector<generate::GeneratedQuery> queries = generate::generate_collection(
      settings, {CodecKind::kRice, 1}, false, folder / "index", 2, {}, report);
  const Index index = Index::open(folder / "index");
  const reference::Collection collection = read_collection(index);
  CpuSearcher searcher(index);
  for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
    for (const std::uint32_t k : {10U, 1000U}) {
      SearchSettings search;
      search.mode = mode;
      search.k = k;
      search.count = k == 10;
      for (const generate::GeneratedQuery& query : queries) {
        const Query parsed = reference::query_from(query.text);
        const test::Truth truth = test::find_truth(collection, parsed, search);
        ASSERT_EQ(test::judge(truth, searcher.search(parsed, search), search), "")
            << reference::describe(search) << ' ' << query.text;
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
