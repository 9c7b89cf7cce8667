// The engine over a generated index, judged by the oracle: its lists have what random ones lack,
// as dense runs, bursts, and frequencies that follow lengths.
#include <algorithm>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

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
  const reference::Collection collection = test::collection_of(index);
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
