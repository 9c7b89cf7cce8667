// Tests of searches by a bound on a GPU: the bits that XfbqSearcher gives, from as many distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/xfbq/made_binary_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"

namespace warpdex::vector {
namespace {

using test::BinaryCodesShape;
using test::MadeBinaryCodes;

class GpuXfbqBounds : public GpuFlat, public testing::WithParamInterface<Metric> {};

void expect_as_cpu(const XfbqVectors& vectors, const GpuXfbqSearcher& gpu,
                   const std::vector<float>& queries, std::size_t k, const XfbqDepth& depth,
                   const RowFilter* filter) {
  const std::string what = std::string(metric_name(vectors.metric)) + ", " +
                           std::to_string(vectors.rows) + " rows, k " + std::to_string(k) + ", " +
                           std::to_string(depth.refine) + " candidates" +
                           (depth.bound == XfbqBound::kCertain ? ", certain" : ", likely") +
                           (filter == nullptr ? "" : ", filtered");
  const BoundedNeighbors cpu = XfbqSearcher(vectors).nearest_by_bound(queries, k, depth, filter);
  const BoundedNeighbors own = gpu.nearest_by_bound(queries, k, depth, filter);
  expect_same(own.answers, cpu.answers, what);
  EXPECT_EQ(own.refined, cpu.refined) << what;
}

TEST_P(GpuXfbqBounds, AnswersAndCountsAreTheCpus) {
  const Metric metric = GetParam();
  auto random = test::generator(160 + static_cast<std::uint64_t>(metric));
  for (const BinaryCodesShape& shape :
       {BinaryCodesShape{metric, 33, 4, true, Store::kHalf, true},
        BinaryCodesShape{metric, 96, 6, true, Store::kFloat, true},
        BinaryCodesShape{metric, 128, 1, false, Store::kFloat, true}}) {
    for (const std::size_t rows : {1, 31, 127, 129, 20'000}) {
      const MadeBinaryCodes made(random, shape, rows);
      const GpuXfbqSearcher gpu(made.view(), resources());
      const RowFilter filter = draw_filter(random, rows, 1 + random() % 100);
      const std::vector<float> queries = test::draw(random, 5 * shape.dimension, 0.5F);
      for (const XfbqBound bound : {XfbqBound::kCertain, XfbqBound::kLikely}) {
        for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(60, rows), rows}) {
          if (k > 1000 && bound == XfbqBound::kLikely) continue;
          const XfbqDepth depth{random() % 9, random() % 2 * (1 + random() % 300), 0, bound};
          expect_as_cpu(made.view(), gpu, queries, k, depth, nullptr);
          expect_as_cpu(made.view(), gpu, queries, k, depth, &filter);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(GpuXfbqBounds, TheHostComputesDistancesWhereTheGpuHasNoVectors) {
  const Metric metric = GetParam();
  auto random = test::generator(163 + static_cast<std::uint64_t>(metric));
  const MadeBinaryCodes made(random, {metric, 48, 5, true, Store::kFloat, true}, 5000);
  const GpuXfbqSearcher gpu(made.view(), resources(), {.memory = 0, .keeps_vectors = false});
  EXPECT_FALSE(gpu.has_vectors());
  const std::vector<float> queries = test::draw(random, 7 * 48, 0.5F);
  const XfbqDepth depth{8, 20, 0, XfbqBound::kCertain};
  expect_as_cpu(made.view(), gpu, queries, 10, depth, nullptr);
  expect_same(gpu.nearest(queries, 10, depth),
              FlatSearcher(made.view().vectors).nearest(queries, 10), "exact");
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuXfbqBounds,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

using GpuXfbqHardBounds = GpuFlat;

/// Parts grow while bounds exclude nothing: codes of one bit of vectors that are equally far.
TEST_F(GpuXfbqHardBounds, ManyPartsAreRanked) {
  auto random = test::generator(166);
  const MadeBinaryCodes made(random, {Metric::kL2, 16, 1, true, Store::kFloat, true}, 200'000);
  const GpuXfbqSearcher gpu(made.view(), resources());
  const std::vector<float> queries = test::draw(random, 2 * 16, 0.5F);
  expect_as_cpu(made.view(), gpu, queries, 10, {1, 0, 0, XfbqBound::kCertain}, nullptr);
}

TEST_F(GpuXfbqHardBounds, BadArgumentsAndEmptyBatches) {
  auto random = test::generator(167);
  const std::vector<float> query = test::draw(random, 33);
  const XfbqDepth depth{0, 0, 0, XfbqBound::kCertain};
  const MadeBinaryCodes plain(random, {Metric::kL2, 33, 4}, 100);
  EXPECT_THROW(GpuXfbqSearcher(plain.view(), resources()).nearest(query, 1, depth), UsageError);
  const MadeBinaryCodes made(random, {Metric::kL2, 33, 4, true, Store::kFloat, true}, 100);
  const GpuXfbqSearcher gpu(made.view(), resources());
  EXPECT_THROW(gpu.nearest(query, 101, depth), UsageError);
  EXPECT_EQ(gpu.nearest({}, 3, depth).queries, 0U);
}

}  // namespace
}  // namespace warpdex::vector
