// Query likelihood on a GPU where smoothing leaves nothing above 0: no sum in units tells such
// documents apart, so all of them are candidates, and their exact scores rank them.
#include "tests/query/engine/cut_likelihoods.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

class GpuCutLikelihoods : public testing::TestWithParam<CodecSettings> {};

TEST_P(GpuCutLikelihoods, AreRankedAsTheOracleDoes) {
  WARPDEX_NEEDS_GPU();
  test::Random random = test::generator(94);
  const reference::Collection collection = test::make_cut_collection(random, 40'000);
  const test::TemporaryFolder folder;
  test::write_index(collection, GetParam(), folder / "index");
  test::UploadedIndex engine(folder / "index");
  std::vector<Query> queries =
      test::queries_from({"a", "a -dense", "rare -dense", "a b c d rare", "a b c d rare -dense",
                          "+a b d -dense", "+b +rare a", "rare d dense"});
  queries.push_back(queries[4]);
  test::give_weights(random, queries.back());
  for (const QueryMode mode : test::kAllModes) {
    for (const float mu : {1.F, 1000.F, 1e6F}) {
      for (const std::uint32_t k : {1U, 10U, 1000U}) {
        const ScorerSettings scorer{.kind = ScorerKind::kQueryLikelihood, .mu = mu};
        ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                    test::settings_of(mode, k, false, scorer)),
                  "")
            << "mu " << mu;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, GpuCutLikelihoods, testing::ValuesIn(test::all_codecs()));

}  // namespace
}  // namespace warpdex
