// Tests of the search of binary codes on a GPU: the bits that the CPU gives.
#include "warpdex/vector/search/make_searcher.hpp"

#include <algorithm>
#include <thread>

#include "tests/support.hpp"
#include "tests/vector/binary/made_binary_codes.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

using test::BinaryCodesShape;
using test::MadeBinaryCodes;
using GpuBinaryHard = GpuFlat;

std::string describe(const BinaryCodesShape& shape, const SearchOptions& depth) {
  return std::string(metric_name(shape.metric)) + ", " + std::to_string(shape.dimension) +
         " components of " + std::to_string(shape.bits) + " bits" +
         (shape.is_rotated ? ", rotated" : "") + (shape.is_corrected ? ", corrected" : "") +
         (shape.is_of_version_2 ? ", of version 2, " : ", ") + std::to_string(depth.query_bits) +
         " of the query, " + std::to_string(depth.refine) + " refined, extra " +
         std::to_string(depth.extra);
}

void expect_as_cpu(const BinaryVectors& vectors, const VectorSearcher& gpu,
                   const std::vector<float>& queries, std::size_t k, const SearchOptions& depth,
                   const RowFilter* filter, const std::string& what) {
  expect_same(gpu.nearest(queries, k, depth.among(filter)),
              search_on_cpu(vectors)->nearest(queries, k, depth.among(filter)),
              what + ", k " + std::to_string(k) + (filter == nullptr ? "" : ", filtered"));
}

class GpuBinaryForms : public GpuFlat, public testing::WithParamInterface<Metric> {};

/// Codes of all numbers of words past whole chunks, by scans and by products.
std::vector<BinaryCodesShape> shapes_of(Metric metric) {
  return {{metric, 1, 1},
          {metric, 31, 2},
          {metric, 33, 3},
          {metric, 32, 4, true},
          {metric, 70, 5},
          {metric, 40, 6, true, Store::kHalf},
          {metric, 20, 7},
          {metric, 100, 8, true},
          {metric, 129, 3},
          {metric, 300, 4},
          {metric, 65, 4, true, Store::kFloat, true},
          {metric, 96, 5, false, Store::kHalf, true},
          {metric, 64, 2, true, Store::kFloat, false, true},
          {metric, 45, 4, false, Store::kFloat, true, true}};
}

TEST_P(GpuBinaryForms, FewQueriesAnswerAsTheCpu) {
  auto random = test::generator(100 + static_cast<std::uint64_t>(GetParam()));
  for (const BinaryCodesShape& shape : shapes_of(GetParam())) {
    for (const std::size_t rows : {1, 31, 129, 5000}) {
      const MadeBinaryCodes made(random, shape, rows);
      const auto gpu = search_on_gpu(made.view(), resources());
      const RowFilter filter = draw_filter(random, rows, 1 + random() % 20);
      for (const std::size_t count : {1, 3}) {
        const std::vector<float> queries = test::draw_queries(random, count, shape.dimension);
        for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(100, rows), rows}) {
          const SearchOptions depth{.refine = random() % 2 * (1 + random() % 200),
                                    .query_bits = random() % 9,
                                    .extra = random() % 2 * (random() % 500)};
          expect_as_cpu(made.view(), *gpu, queries, k, depth, nullptr, describe(shape, depth));
          expect_as_cpu(made.view(), *gpu, queries, k, depth, &filter, describe(shape, depth));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GpuBinaryForms, ManyQueriesAnswerAsTheCpu) {
  auto random = test::generator(110 + static_cast<std::uint64_t>(GetParam()));
  for (const BinaryCodesShape& shape : shapes_of(GetParam())) {
    const MadeBinaryCodes made(random, shape, 40'000);
    const auto gpu = search_on_gpu(made.view(), resources());
    const RowFilter filter = draw_filter(random, 40'000, 2 + random() % 20);
    for (const std::size_t count : {16, 127, 129, 300}) {
      const std::vector<float> queries = test::draw_queries(random, count, shape.dimension);
      const SearchOptions depth{.refine = random() % 2 * (1 + random() % 100),
                                .query_bits = 1 + random() % 8,
                                .extra = random() % 2 * (random() % 50)};
      const std::size_t k = 1 + random() % 50;
      expect_as_cpu(made.view(), *gpu, queries, k, depth, nullptr, describe(shape, depth));
      expect_as_cpu(made.view(), *gpu, queries, k, depth, &filter, describe(shape, depth));
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(gpu->figures().queries, 0U) << metric_name(shape.metric);
  }
}

TEST_P(GpuBinaryForms, RefinesOnTheGpuAndOnTheHost) {
  const Metric metric = GetParam();
  auto random = test::generator(120 + static_cast<std::uint64_t>(metric));
  const BinaryCodesShape shape{metric, 45, 3, metric == Metric::kCosine, Store::kHalf};
  const MadeBinaryCodes made(random, shape, 20'000);
  const auto with = search_on_gpu(made.view(), resources());
  const auto without =
      search_on_gpu(made.view(), resources(), {.memory = 0, .keeps_vectors = false});
  EXPECT_TRUE(with->is_resident());
  const RowFilter filter = draw_filter(random, 20'000, 7);
  for (const std::size_t count : {1, 40}) {
    const std::vector<float> queries = test::draw(random, count * 45, 0.5F);
    for (const SearchOptions& depth :
         {SearchOptions{.refine = 1, .query_bits = 4},
          SearchOptions{.refine = 100, .query_bits = 4},
          SearchOptions{.refine = 100, .query_bits = 3, .extra = 60},
          SearchOptions{.refine = 3000, .query_bits = 4, .extra = 5},
          SearchOptions{.refine = 10, .query_bits = 2, .extra = 1'000'000}}) {
      expect_as_cpu(made.view(), *with, queries, 10, depth, nullptr, describe(shape, depth));
      expect_as_cpu(made.view(), *without, queries, 10, depth, nullptr, describe(shape, depth));
      expect_as_cpu(made.view(), *with, queries, 10, depth, &filter, describe(shape, depth));
      expect_as_cpu(made.view(), *without, queries, 10, depth, &filter, describe(shape, depth));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GpuBinaryForms, RangesAreTheCpus) {
  const Metric metric = GetParam();
  auto random = test::generator(130 + static_cast<std::uint64_t>(metric));
  const MadeBinaryCodes made(random, {metric, 50, 4}, 9000);
  const auto gpu = search_on_gpu(made.view(), resources());
  const auto cpu = search_on_cpu(made.view());
  const RowFilter filter = draw_filter(random, 9000, 3);
  const std::vector<float> queries = test::draw(random, 5 * 50, 0.5F);
  const Neighbors all = cpu->nearest(queries, 9000);
  for (const std::size_t place : {0, 10, 8999}) {
    const float radius = all.distances[place];
    expect_same(gpu->within(queries, radius), cpu->within(queries, radius), "range");
    expect_same(gpu->within(queries, radius, {.filter = &filter}),
                cpu->within(queries, radius, {.filter = &filter}), "range, filtered");
  }
}

/// From 4,096 on they are cut into blocks: while the GPU searches for some, the host encodes the
/// next, and ranks the candidates of those before.
TEST_P(GpuBinaryForms, RefinesManyOnTheHost) {
  auto random = test::generator(150 + static_cast<std::uint64_t>(GetParam()));
  const MadeBinaryCodes made(random, {GetParam(), 33, 4}, 3000);
  const auto on_host =
      search_on_gpu(made.view(), resources(), {.memory = 0, .keeps_vectors = false});
  const auto on_gpu = search_on_gpu(made.view(), resources());
  for (const std::size_t count : {4095, 4096, 5119, 5121}) {
    const std::vector<float> queries = test::draw(random, count * 33, 0.5F);
    const std::string what = std::to_string(count) + " queries";
    for (const SearchOptions& depth : {SearchOptions{.refine = 30, .query_bits = 4},
                                       SearchOptions{.refine = 30, .query_bits = 4, .extra = 20}}) {
      expect_as_cpu(made.view(), *on_host, queries, 10, depth, nullptr, what);
      if (HasFatalFailure()) return;
    }
    expect_as_cpu(made.view(), *on_gpu, queries, 10, {.refine = 30, .query_bits = 4}, nullptr,
                  what + ", on the GPU");
    expect_as_cpu(made.view(), *on_gpu, queries, 10, {.query_bits = 4}, nullptr,
                  what + ", by codes");
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuBinaryForms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

TEST_F(GpuBinaryHard, LongListsTakeSeveralRounds) {
  auto random = test::generator(140);
  const BinaryCodesShape shape{Metric::kL2, 24, 4};
  const MadeBinaryCodes made(random, shape, 300'000);
  const auto gpu = search_on_gpu(made.view(), resources());
  const RowFilter filter = draw_filter(random, 300'000, 1000);
  for (const std::size_t count : {1, 3, 20, 200}) {
    const std::vector<float> queries = test::draw(random, count * 24, 0.5F);
    for (const std::size_t k : {1, 10, 100, 1000, 2048, 2049, 5000}) {
      if (count > 3 && k > 100) continue;
      expect_as_cpu(made.view(), *gpu, queries, k, {}, nullptr, "long");
      expect_as_cpu(made.view(), *gpu, queries, k, {.refine = 2 * k, .extra = 10}, &filter, "long");
      if (HasFatalFailure()) return;
    }
  }
}

/// More candidates at one distance than a query's list has places.
TEST_F(GpuBinaryHard, EqualCodesAreRankedByRow) {
  auto random = test::generator(141);
  // 32 components fill their words: bits past the last component must be 0.
  const BinaryCodesShape shape{Metric::kInnerProduct, 32, 2};
  const MadeBinaryCodes made(random, shape, 60'000);
  std::vector<std::uint8_t> codes(made.view().codes.begin(), made.view().codes.end());
  std::fill(codes.begin() + 100'000, codes.end() - 1000, std::uint8_t{5});
  const std::vector<float> terms(made.view().terms.size(), 0.25F);
  BinaryVectors vectors = made.view();
  vectors.codes = codes;
  vectors.terms = terms;
  const auto gpu = search_on_gpu(vectors, resources());
  for (const std::size_t count : {1, 100}) {
    const std::vector<float> queries = test::draw(random, count * 32);
    for (const std::size_t k : {1, 100, 2048}) {
      expect_as_cpu(vectors, *gpu, queries, k, {}, nullptr, "equal codes");
      expect_as_cpu(vectors, *gpu, queries, k, {.refine = k}, nullptr, "equal codes");
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(gpu->figures().uncertified, 0U);
}

TEST_F(GpuBinaryHard, NumbersOfAllMagnitudes) {
  auto random = test::generator(142);
  for (const float exponent : {-60.0F, 60.0F}) {
    std::vector<float> rows = test::draw(random, 3000 * 10);
    for (float& value : rows) value *= std::exp2(exponent);
    const Collection all(Metric::kL2, Store::kFloat, 10, rows);
    const BinaryTraining training = train_binary(all.vectors, {.bits = 4});
    const BinaryQuantizer quantizer = training.quantizer(10);
    const CodeGroups layout{quantizer.code_bytes()};
    std::vector<std::uint8_t> codes(groups_of(3000) * layout.group_bytes());
    RowEncoder encoder(all.vectors.vectors, quantizer);
    for (std::size_t row = 0; row < 3000; ++row) {
      encoder.encode_row(row, codes.data() + row / 32 * layout.group_bytes());
    }
    BinaryVectors vectors;
    vectors.metric = Metric::kL2;
    vectors.quantizer = quantizer;
    vectors.rows = 3000;
    vectors.codes = codes;
    vectors.terms = all.norms;
    vectors.vectors = all.vectors;
    const auto gpu = search_on_gpu(vectors, resources());
    std::vector<float> queries = test::draw(random, 20 * 10);
    test::scale_rows(random, queries, 10, 62);
    expect_as_cpu(vectors, *gpu, queries, 30, {}, nullptr, "magnitudes");
    expect_as_cpu(vectors, *gpu, queries, 30, {.refine = 90, .query_bits = 8, .extra = 3}, nullptr,
                  "magnitudes");
  }
}

/// So few rows are allowed that the first round finds fewer than k, and leaves limits infinite.
TEST_F(GpuBinaryHard, VectorsOfZerosAmongFewAllowed) {
  auto random = test::generator(146);
  constexpr std::size_t kRows = 40'000;
  const RowFilter filter = draw_filter(random, kRows, 1000);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    const MadeBinaryCodes made(random, {metric, 40, 4, false, Store::kFloat, true}, kRows);
    BinaryVectors vectors = made.view();
    std::vector<float> factors(vectors.factors.begin(), vectors.factors.end());
    for (std::size_t row = 0; row < kRows; row += 3) factors[row] = 0;  // as of vectors of zeros
    vectors.factors = factors;
    const auto gpu = search_on_gpu(vectors, resources());
    for (const std::size_t count : {15, 16, 129}) {  // by scans, by products
      const std::vector<float> queries = test::draw(random, count * 40, 0.5F);
      expect_as_cpu(vectors, *gpu, queries, 30, {}, &filter, std::string(metric_name(metric)));
      expect_as_cpu(vectors, *gpu, queries, 30, {}, nullptr, std::string(metric_name(metric)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(GpuBinaryHard, ThreadsSearchAtOnceAndEmptyBatchesAreAnswered) {
  auto random = test::generator(143);
  const MadeBinaryCodes made(random, {Metric::kCosine, 64, 4, true}, 50'000);
  const auto gpu = search_on_gpu(made.view(), resources());
  const std::vector<float> queries = test::draw(random, 60 * 64);
  const SearchOptions depth{.refine = 50};
  const Neighbors expected = search_on_cpu(made.view())->nearest(queries, 10, depth);
  std::vector<Neighbors> found(4);
  {
    std::vector<std::jthread> threads;
    for (Neighbors& one : found) {
      threads.emplace_back([&] { one = gpu->nearest(queries, 10, depth); });
    }
  }
  for (const Neighbors& one : found) expect_same(one, expected, "threads");
  EXPECT_EQ(gpu->nearest({}, 3).queries, 0U);
  EXPECT_THROW(gpu->nearest(queries, 0), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 1, {.query_bits = 9}), UsageError);
}

/// Few are written to the host by the kernel that finds them, more are copied.
TEST_F(GpuBinaryHard, ManyAnswersOfABlock) {
  auto random = test::generator(145);
  const MadeBinaryCodes made(random, {Metric::kInnerProduct, 40, 4}, 5000);
  const auto gpu = search_on_gpu(made.view(), resources());
  for (const std::size_t count : {65, 66, 300}) {
    const std::vector<float> queries = test::draw(random, count * 40, 0.5F);
    for (const std::size_t refine : {0, 1200}) {
      const std::string what = std::to_string(count) + " queries";
      expect_as_cpu(made.view(), *gpu, queries, 1000, {.refine = refine, .query_bits = 4}, nullptr,
                    what);
    }
  }
}

TEST_F(GpuBinaryHard, LittleMemoryIsTold) {
  auto random = test::generator(144);
  const MadeBinaryCodes made(random, {Metric::kL2, 128, 8}, 20'000);
  EXPECT_THROW(search_on_gpu(made.view(), resources(), {.memory = 1 << 20}), Error);
  const auto small = search_on_gpu(made.view(), resources(), {.memory = std::size_t{24} << 20});
  EXPECT_FALSE(small->is_resident());
  const std::vector<float> queries = test::draw(random, 300 * 128, 0.5F);
  expect_as_cpu(made.view(), *small, queries, 10, {.refine = 40}, nullptr, "little memory");
}

}  // namespace
}  // namespace warpdex::vector
