// Tests of the search by codes on a GPU: the bits that the CPU gives, and what a plain scan
// in double precision of the same codes does.
#include "warpdex/vector/search/make_searcher.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "tests/vector/lists/gpu_ivf_pq_support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

const std::vector<std::size_t> kSizes{0, 1, 31, 32, 33, 127, 128, 129, 0, 500, 64, 5, 900, 0};

class GpuIvfPqForms : public GpuFlat, public testing::WithParamInterface<Metric> {};

std::vector<CodesShape> shapes_of(Metric metric) {
  return {{metric, 1, 1, 8},
          {metric, 3, 1, 4},
          {metric, 3, 3, 8},
          {metric, 7, 4, 4},
          {metric, 31, 3, 8, true},
          {metric, 40, 16, 8, true},
          {metric, 40, 17, 4},
          {metric, 40, 20, 4, true},
          {metric, 96, 32, 8},
          {metric, 128, 48, 8},
          {metric, 130, 33, 8},
          {metric, 96, 96, 8},
          {metric, 130, 49, 4},
          {metric, 300, 12, 8},
          {metric, 300, 230, 8},
          {metric, 40, 20, 8, false, true},
          {metric, 96, 40, 4, true, true},
          {metric, 130, 16, 8, true, false, 33},
          {metric, 300, 8, 4, true, false, 19},
          {metric, 96, 1, 8, true, false, 1}};
}

TEST_P(GpuIvfPqForms, FewQueriesAnswerAsTheCpu) {
  auto random = test::generator(100 + static_cast<std::uint64_t>(GetParam()));
  for (const CodesShape& shape : shapes_of(GetParam())) {
    const MadeCodes index(random, shape, kSizes);
    const auto gpu = search_on_gpu(index.view(), resources());
    const RowFilter filter = draw_filter(random, index.rows(), 1 + random() % 20);
    for (const std::size_t count : {1, 2, 7}) {
      const std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
      for (const std::size_t probes : {std::size_t{1}, std::size_t{5}, kSizes.size()}) {
        for (const std::size_t k : {std::size_t{1}, std::size_t{100}, index.rows()}) {
          expect_as_cpu(index, *gpu, queries, k, probes, 0, nullptr, describe(shape));
          expect_as_cpu(index, *gpu, queries, k, probes, 0, &filter, describe(shape));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GpuIvfPqForms, ManyQueriesAnswerAsTheCpu) {
  auto random = test::generator(110 + static_cast<std::uint64_t>(GetParam()));
  for (const CodesShape& shape : shapes_of(GetParam())) {
    const MadeCodes index(random, shape, kSizes);
    const auto tables = search_by(CodeWay::kTables, index, resources());
    const auto products = search_by(CodeWay::kProducts, index, resources());
    const RowFilter filter = draw_filter(random, index.rows(), 2 + random() % 20);
    for (const std::size_t count : {8, 127, 128, 129, 1000}) {
      const std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
      for (const std::size_t probes : {std::size_t{2}, std::size_t{6}, kSizes.size()}) {
        const std::size_t k = count > 128 ? 10 : 1 + random() % 200;
        for (const VectorSearcher* const gpu : {tables.get(), products.get()}) {
          expect_as_cpu(index, *gpu, queries, k, probes, 0, nullptr, describe(shape));
          expect_as_cpu(index, *gpu, queries, k, probes, 0, &filter, describe(shape));
          if (HasFatalFailure()) return;
        }
      }
    }
    // Smaller GPUs have the shared memory for fewer of them.
    if (device_info(0).shared_memory_per_block < std::size_t{200} << 10) continue;
    if (shape.bytes <= 33) {
      EXPECT_GT(tables->figures().queries, 0U) << describe(shape);
    }
    if (shape.bytes < 200) {
      EXPECT_GT(products->figures().queries, 0U) << describe(shape);
    }
  }
}

TEST_P(GpuIvfPqForms, AnswersAreThoseOfAPlainScanInDoublePrecision) {
  const Metric metric = GetParam();
  auto random = test::generator(120 + static_cast<std::uint64_t>(metric));
  const CodesShape shape{metric, 24, 8, 8};
  const MadeCodes index(random, shape, kSizes);
  const std::size_t k = 20;
  for (const CodeWay way : kCodeWays) {
    const auto gpu = search_by(way, index, resources());
    const std::size_t count = way == CodeWay::kQueries ? 3 : 300;
    std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
    for (std::size_t q = 0; metric == Metric::kCosine && q < count; ++q) {
      normalize(std::span(queries).subspan(q * shape.dimension, shape.dimension));
    }
    const Neighbors found = gpu->nearest(queries, k, {.probes = 9});
    for (std::size_t q = 0; q < count; ++q) {
      const std::span<const float> query =
          std::span(queries).subspan(q * shape.dimension, shape.dimension);
      std::vector<std::size_t> lists = index.lists_of(query);
      lists.resize(9);
      std::vector<double> expected;
      for (const std::size_t list : lists) {
        for (std::size_t p = index.view().begins[list]; p < index.view().begins[list + 1]; ++p) {
          expected.push_back(index.distance(query, p));
        }
      }
      std::sort(expected.begin(), expected.end());
      for (std::size_t i = 0; i < k; ++i) {
        if (i >= expected.size()) {
          EXPECT_EQ(found.rows[q * k + i], -1);
          continue;
        }
        const double distance = found.distances[q * k + i];
        ASSERT_NEAR(larger_is_nearer(metric) ? -distance : distance, expected[i], 5e-3)
            << "query " << q << ", place " << i;
      }
    }
  }
}

TEST_P(GpuIvfPqForms, RefinesOnTheGpuAndOnTheHost) {
  const Metric metric = GetParam();
  auto random = test::generator(130 + static_cast<std::uint64_t>(metric));
  const CodesShape shape{metric, 33, 8, 8};
  const MadeCodes index(random, shape, kSizes);
  const RowFilter filter = draw_filter(random, index.rows(), 3);
  const auto with = search_on_gpu(index.view(), resources());
  const auto without =
      search_on_gpu(index.view(), resources(), {.memory = 0, .keeps_vectors = false});
  EXPECT_TRUE(with->is_resident());
  for (const std::size_t count : {1, 300}) {
    const std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
    for (const auto& [k, refine] : {std::pair{1, 1}, {5, 40}, {10, 3}, {7, 5000}, {100, 100}}) {
      for (const VectorSearcher* const gpu : {with.get(), without.get()}) {
        for (const RowFilter* const allowed : {static_cast<const RowFilter*>(nullptr), &filter}) {
          expect_as_cpu(index, *gpu, queries, static_cast<std::size_t>(k), 9,
                        static_cast<std::size_t>(refine), allowed, describe(shape));
        }
      }
    }
  }
}

TEST_P(GpuIvfPqForms, RangesHoldAllWithinThem) {
  const Metric metric = GetParam();
  auto random = test::generator(140 + static_cast<std::uint64_t>(metric));
  for (const CodesShape& shape : {CodesShape{metric, 20, 3, 8, true}, {metric, 40, 17, 4}}) {
    const MadeCodes index(random, shape, kSizes);
    const auto gpu = search_on_gpu(index.view(), resources());
    const auto cpu = search_on_cpu(index.view());
    const RowFilter filter = draw_filter(random, index.rows(), 2);
    const std::vector<float> queries = draw_values(random, 9 * shape.dimension, 3);
    const Neighbors ranked = cpu->nearest(queries, 300, {.probes = 7});
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float radius :
         {ranked.distances[0], ranked.distances[150], 0.0F, -1.0F, 1e9F, infinity, -infinity}) {
      for (const RowFilter* const allowed : {static_cast<const RowFilter*>(nullptr), &filter}) {
        expect_same(gpu->within(queries, radius, {.filter = allowed, .probes = 7}),
                    cpu->within(queries, radius, {.filter = allowed, .probes = 7}),
                    describe(shape));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuIvfPqForms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

TEST_F(GpuIvfPq, ThreadsAndRefusals) {
  auto random = test::generator(150);
  MadeCodes index(random, {Metric::kL2, 12, 4, 8}, kSizes);
  const auto gpu = search_on_gpu(index.view(), resources(),
                                 {.memory = std::size_t{512} << 20, .keeps_vectors = true});
  const std::vector<float> queries = draw_values(random, std::size_t{60} * 12, 3);
  const Neighbors alone =
      search_on_cpu(index.view())->nearest(queries, 10, {.probes = 8, .refine = 20});
  std::vector<Neighbors> together(4);
  std::vector<std::thread> threads;
  for (Neighbors& one : together) {
    threads.emplace_back([&] { one = gpu->nearest(queries, 10, {.probes = 8, .refine = 20}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) expect_same(one, alone, "together");
  EXPECT_THROW(gpu->nearest(queries, 10, {.probes = 0}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 10, {.probes = kSizes.size() + 1}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 0, {.probes = 5}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, index.rows() + 1, {.probes = 5}), UsageError);
  EXPECT_THROW(gpu->nearest(std::vector<float>(13), 1, {.probes = 5}), UsageError);
  EXPECT_THROW(gpu->within(queries, std::nanf(""), {.probes = 1}), UsageError);
  const RowFilter other(5);
  EXPECT_THROW(gpu->nearest(queries, 1, {.filter = &other, .probes = 1}), UsageError);
  EXPECT_EQ(gpu->nearest({}, 1, {.probes = 1}).queries, 0U);
  EXPECT_THROW(search_on_gpu(index.view(), resources(), {.memory = 1 << 10}), Error);
  index.view().vectors = {};
  EXPECT_THROW(
      search_on_gpu(index.view(), resources())->nearest(queries, 1, {.probes = 1, .refine = 5}),
      UsageError)
      << "no vectors to refine by";
}

// What compute-sanitizer runs.
TEST_F(GpuIvfPq, EveryWayInShort) {
  auto random = test::generator(152);
  for (const CodesShape& shape :
       {CodesShape{Metric::kL2, 24, 9, 8}, {Metric::kInnerProduct, 40, 17, 4, true}}) {
    const MadeCodes index(random, shape, kSizes);
    const RowFilter filter = draw_filter(random, index.rows(), 2);
    for (const CodeWay way : kCodeWays) {
      const auto gpu = search_by(way, index, resources());
      for (const std::size_t count : {9, 130}) {
        const std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
        expect_as_cpu(index, *gpu, queries, 10, 6, 0, nullptr, describe(shape));
        expect_as_cpu(index, *gpu, queries, 10, 6, 0, &filter, describe(shape));
      }
    }
  }
}

TEST_F(GpuIvfPq, QueriesAndAnswersInGpuMemory) {
  auto random = test::generator(151);
  const MadeCodes index(random, {Metric::kInnerProduct, 24, 8, 8}, kSizes);
  const auto gpu = search_on_gpu(index.view(), resources());
  const Stream stream;
  for (const std::size_t count : {1, 200}) {
    const std::vector<float> queries = draw_values(random, count * 24, 3);
    DeviceArray<float> given(queries.size());
    DeviceArray<std::int32_t> rows(count * 10);
    DeviceArray<float> distances(count * 10);
    given.upload(queries, stream);
    stream.synchronize();
    gpu->nearest_on_gpu(given.data(), count, 10, rows.data(), distances.data(), {.probes = 6});
    Neighbors found{count, 10, std::vector<std::int32_t>(count * 10),
                    std::vector<float>(count * 10)};
    rows.download(found.rows, stream);
    distances.download(found.distances, stream);
    stream.synchronize();
    expect_same(found, search_on_cpu(index.view())->nearest(queries, 10, {.probes = 6}),
                "in GPU memory");
  }
}

}  // namespace
}  // namespace warpdex::vector
