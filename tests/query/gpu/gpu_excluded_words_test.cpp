// Queries that exclude words of several terms: the GPU leaves them, alone in a batch and among
// others, and the CPU answers them.
#include "tests/query/engine/cut_likelihoods.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

TEST(GpuExcludedWords, SmallBatchesLeaveThemToTheCpu) {
  WARPDEX_NEEDS_GPU();
  test::Random random = test::generator(96);
  const reference::Collection collection = test::make_cut_collection(random, 3'000);
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  const test::LoneGpuIndex gpu_index(index);
  GpuEngine gpu(gpu_index);
  test::GpuSearcher both(gpu_index);
  CpuSearcher cpu(index);
  Query word{"word", {{"a"}, {"c"}, {"b", Occur::kMustNot, 1, 1}, {"d", Occur::kMustNot, 1, 1}}};
  const Query plain{"plain", {{"a"}, {"c"}}};
  for (const std::vector<Query>& queries :
       {std::vector<Query>{word}, {plain, word}, {word, plain, word}, {plain}}) {
    std::vector<PlannedQuery> plans;
    for (const Query& query : queries) plans.push_back(plan_query(index, query));
    for (const QueryMode mode : test::kAllModes) {
      const SearchSettings settings = test::settings_of(mode, 10);
      const BatchAnswers answers = gpu.run(plans, settings);
      const std::vector<SearchResult> results = both.run(plans, settings);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        EXPECT_EQ(answers[i].is_answered, queries[i].id == "plain");
        const SearchResult expected = cpu.search(queries[i], settings);
        EXPECT_EQ(results[i].hits, expected.hits) << queries[i].id;
        EXPECT_FALSE(expected.hits.empty());
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
