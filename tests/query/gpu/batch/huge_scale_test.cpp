// Queries of more lists than kernels hold at a time have units of their own: finer ones, since
// rounding adds some for each list.
#include <algorithm>
#include <cmath>

#include "gpu/batch/batch_builder.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/batch/host_image.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

using test::Random;

/// An index whose lists lie nowhere.
struct Nowhere : PlacedIndex {
  using PlacedIndex::PlacedIndex;
  void place(const PostingsEntry&, ListSource&) const override {}
  RawList find_raw(const PostingsEntry&) const override { return {nullptr, 0}; }
};

class HugeScale : public testing::TestWithParam<bool> {};  // of impacts

// The sums of a query's bounds fill the units that its accumulators have room for, and no more.
TEST_P(HugeScale, FillsAccumulators) {
  constexpr std::uint32_t kTerms = 600;
  constexpr std::uint32_t kDocuments = 2'000;
  Random random = test::generator(704);
  reference::Collection collection = test::make_documents(random, kDocuments, false);
  for (std::uint32_t i = 0; i < kTerms; ++i) {
    const auto size = static_cast<std::uint32_t>(1 + random() % (kDocuments - 1));
    test::add_list(collection, 't' + std::to_string(i), test::scatter(random, kDocuments, size),
                   random);
  }
  const test::TemporaryFolder folder;
  test::write_index_of(collection, GetParam(), {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  const Nowhere placed(index);
  BatchBuilder builder(placed, {});
  for (const std::uint32_t terms : {63U, 64U, 65U, 128U, 129U, 600U}) {
    for (const float weight : {1.0F, 2.5F}) {
      warpdex::Query asked;
      for (std::uint32_t i = 0; i < terms; ++i) {
        asked.terms.push_back({'t' + std::to_string(i), Occur::kUnsigned, weight});
      }
      const PlannedQuery plan = plan_query(index, asked);
      const std::uint32_t slot = 0;
      const SearchSettings settings = test::settings_of(QueryMode::kOr, 10);
      const HostImage image(
          builder,
          builder.measure(std::span(&plan, 1), std::span(&slot, 1), std::span(&settings, 1)), 4096,
          nullptr);
      const Query& query = image.host.queries[0];
      ASSERT_EQ(query.scoring_lists, terms);
      double bounds = 0;
      for (std::uint32_t i = 0; i < terms; ++i) {
        const auto units = static_cast<double>(image.host.lists[query.first_list + i].bound) *
                           static_cast<double>(query.scale);
        bounds += std::min<double>(units, query.unit_cap);
      }
      const bool is_huge = terms > kMaxLists;
      const auto room = static_cast<double>(is_huge ? kMaxHugeSum : kMaxSum);
      if (query.rounding_slack == 0) {  // units are the scores
        EXPECT_TRUE(GetParam() && weight == 1);
        EXPECT_EQ(query.scale, 1);
        EXPECT_LE(bounds, is_huge ? room : 65'535.0);
        continue;
      }
      EXPECT_FALSE(GetParam() && weight == 1) << terms << " terms";
      EXPECT_EQ(query.rounding_slack, 4 * terms + 2);
      EXPECT_NEAR(bounds, room, 1e-4 * room + 2 * terms) << terms << " terms";
      // No more sums than bins.
      EXPECT_LT(std::ldexp(bounds + 4 * query.rounding_slack, -static_cast<int>(query.bin_shift)),
                kHistogramBins);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, HugeScale, testing::Bool());

}  // namespace
}  // namespace warpdex::gpu
