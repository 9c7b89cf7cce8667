// Tests of the search of inverted files of binary codes on a GPU: the bits that IvfBinarySearcher
// gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "binary/lists/list_codes.hpp"
#include "tests/support.hpp"
#include "tests/vector/binary/made_binary_codes.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

/// The options with so many probes, among the rows of a filter.
SearchOptions at(SearchOptions options, std::size_t probes, const RowFilter* filter) {
  options.probes = probes;
  options.filter = filter;
  return options;
}

struct Shape {
  std::size_t dimension;
  std::size_t rows;
  std::size_t lists;
  BinarySettings binary;
};

VectorIndex build(std::mt19937_64& random, const std::filesystem::path& folder, Metric metric,
                  const Shape& shape) {
  VectorIndexWriter writer(folder, {.metric = metric,
                                    .dimension = shape.dimension,
                                    .index = vector_kind("ivf-xfbq"),
                                    .ivf = {.lists = shape.lists},
                                    .binary = shape.binary});
  std::vector<float> rows = test::draw(random, shape.rows * shape.dimension, 0.5F);
  // Some of them twice: ties.
  const std::size_t some = std::min<std::size_t>(shape.rows / 2, 40) * shape.dimension;
  for (std::size_t i = 0; i < some; ++i) rows[rows.size() - 1 - i] = rows[some - 1 - i];
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(folder);
}

class GpuIvfBinaryForms : public GpuFlat, public testing::WithParamInterface<Metric> {};

TEST_P(GpuIvfBinaryForms, AnswersAreTheCpus) {
  const Metric metric = GetParam();
  auto random = test::generator(170 + static_cast<std::uint64_t>(metric));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Shape& shape :
       {Shape{1, 31, 1, {.bits = 1}}, Shape{33, 129, 7, {.bits = 3, .is_rotated = true}},
        Shape{96, 4000, 40, {.bits = 4, .is_corrected = true}},
        Shape{130, 2000, 300, {.bits = 8, .is_rotated = true, .is_corrected = true}},
        Shape{70, 3000, 3, {.bits = 5}}}) {
    const VectorIndex index = build(random, folder / "index", metric, shape);
    const auto cpu = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()));
    const auto gpu = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources());
    const auto bare = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources(),
                                    {.memory = 0, .keeps_vectors = false});
    EXPECT_TRUE(gpu->is_resident());
    const RowFilter filter = draw_filter(random, shape.rows, 2 + random() % 9);
    for (const std::size_t count : {1, 2, 129}) {
      const std::vector<float> queries = test::draw_queries(random, count, shape.dimension);
      for (const std::size_t probes : {std::size_t{1}, (shape.lists + 1) / 2, shape.lists}) {
        for (const std::size_t k :
             {std::size_t{1}, std::min<std::size_t>(60, shape.rows), count == 1 ? shape.rows : 5}) {
          SearchOptions depth{.query_bits = random() % 9};
          const std::string what = std::string(metric_name(metric)) + ", " +
                                   std::to_string(shape.dimension) + " components, " +
                                   std::to_string(shape.lists) + " lists, probes " +
                                   std::to_string(probes) + ", k " + std::to_string(k);
          expect_same(gpu->nearest(queries, k, at(depth, probes, nullptr)),
                      cpu->nearest(queries, k, at(depth, probes, nullptr)), what);
          depth.refine = 1 + random() % 200;
          const Neighbors refined = cpu->nearest(queries, k, at(depth, probes, &filter));
          expect_same(gpu->nearest(queries, k, at(depth, probes, &filter)), refined,
                      what + ", refined");
          expect_same(bare->nearest(queries, k, at(depth, probes, &filter)), refined,
                      what + ", refined on the host");
          if (HasFailure()) return;
        }
      }
    }
  }
}

/// From 10 queries a list on. 700 queries fill several tasks of a list; lists hold up to 512 of the
/// nearest by one form, and more by the other.
TEST_P(GpuIvfBinaryForms, ManyQueriesListByList) {
  const Metric metric = GetParam();
  auto random = test::generator(180 + static_cast<std::uint64_t>(metric));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Shape& shape : {Shape{65, 9000, 6, {.bits = 4, .is_corrected = true}},
                             Shape{128, 3000, 50, {.bits = 7}}, Shape{31, 3000, 9, {.bits = 2}}}) {
    const VectorIndex index = build(random, folder / "index", metric, shape);
    const auto cpu = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()));
    const auto gpu = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources());
    const RowFilter filter = draw_filter(random, shape.rows, 40);
    const std::vector<float> queries = test::draw_queries(random, 700, shape.dimension);
    for (const std::size_t k : {1, 10, 100, 512, 513}) {
      const std::string what = std::string(metric_name(metric)) + ", " +
                               std::to_string(shape.dimension) + " components, k " +
                               std::to_string(k);
      for (const std::size_t probes : {std::size_t{1}, shape.lists / 2, shape.lists}) {
        const SearchOptions depth{.query_bits = 1 + random() % 7};
        expect_same(gpu->nearest(queries, k, at(depth, probes, nullptr)),
                    cpu->nearest(queries, k, at(depth, probes, nullptr)), what);
        expect_same(gpu->nearest(queries, k, at(depth, probes, &filter)),
                    cpu->nearest(queries, k, at(depth, probes, &filter)), what + ", filtered");
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(GpuIvfBinaryForms, RangesAreTheCpus) {
  const Metric metric = GetParam();
  auto random = test::generator(173 + static_cast<std::uint64_t>(metric));
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index = build(random, folder / "index", metric, {50, 5000, 20, {.bits = 4}});
  const auto cpu = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()));
  const auto gpu = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources());
  const RowFilter filter = draw_filter(random, 5000, 3);
  const std::vector<float> queries = test::draw(random, 5 * 50, 0.5F);
  const Neighbors some = cpu->nearest(queries, 200, {.probes = 6});
  for (const std::size_t place : {0, 10, 199}) {
    const float radius = some.distances[place];
    expect_same(gpu->within(queries, radius, {.probes = 6}),
                cpu->within(queries, radius, {.probes = 6}), "range");
    expect_same(gpu->within(queries, radius, {.filter = &filter, .probes = 6}),
                cpu->within(queries, radius, {.filter = &filter, .probes = 6}), "range, filtered");
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuIvfBinaryForms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

using GpuIvfBinary = GpuFlat;

/// What encoding hands on, put together.
struct AllBits {
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> factors;
};

AllBits encode_all(const FlatVectors& rows, const IvfLists& lists, const BinaryQuantizer& quantizer,
                   Resources* gpu) {
  AllBits all;
  const ListGroups groups(lists.members);
  bool was_on_gpu = false;
  BuildSteps steps({}, {.gpu = gpu, .on_cpu = {}, .on_step = [&](const BuildStep& step) {
                          was_on_gpu = step.is_on_gpu;
                        }});
  encode_list_codes(
      rows,
      {quantizer, lists.centroids, centre_of_terms(quantizer, rows.centre), true, rows.metric},
      groups, 0, steps, [&](const EncodedBlock& some) {
        all.codes.insert(all.codes.end(), some.codes.begin(), some.codes.end());
        for_each_piece(groups, some, some.terms, [&](std::span<const float> piece) {
          all.terms.insert(all.terms.end(), piece.begin(), piece.end());
        });
        for_each_piece(groups, some, some.factors, [&](std::span<const float> piece) {
          all.factors.insert(all.factors.end(), piece.begin(), piece.end());
        });
      });
  EXPECT_EQ(was_on_gpu, gpu != nullptr);
  return all;
}

/// More are as near as the last than lists of candidates have places: such queries are searched
/// once more.
TEST_F(GpuIvfBinary, ManyEqualVectors) {
  auto random = test::generator(185);
  const test::TemporaryFolder folder(test::place_in_memory());
  VectorIndexWriter writer(folder / "index", {.metric = Metric::kL2,
                                              .dimension = 16,
                                              .index = vector_kind("ivf-xfbq"),
                                              .ivf = {.lists = 2}});
  std::vector<float> rows;
  for (int i = 0; i < 12'000; ++i) {
    for (int c = 0; c < 16; ++c) rows.push_back(i % 2 == 0 ? 1.0F : -1.0F);
  }
  writer.add(rows);
  writer.commit();
  const VectorIndex index = VectorIndex::open(folder / "index");
  const auto gpu = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources());
  const std::vector<float> queries = test::draw(random, 40 * 16, 0.5F);
  for (const std::size_t probes : {1, 2}) {
    expect_same(gpu->nearest(queries, 7, {.probes = probes}),
                search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()))
                    ->nearest(queries, 7, {.probes = probes}),
                "equal vectors");
  }
}

TEST_F(GpuIvfBinary, CodesAreTheCpus) {
  auto random = test::generator(177);
  Resources little({.device = 0, .memory = std::size_t{4} << 20, .host_memory = 0});
  for (const std::size_t dimension : {1, 33, 96}) {
    for (const bool is_corrected : {false, true}) {
      const BinarySettings settings{
          .bits = 1 + random() % 8, .is_rotated = random() % 2 == 0, .is_corrected = is_corrected};
      const Metric metric = static_cast<Metric>(random() % 3);
      const Store store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
      const Collection all(metric, store, dimension, test::draw(random, 5000 * dimension, 1, 2));
      BuildSteps steps({}, {});
      const IvfLists lists = make_lists(all.vectors, {.lists = 60}, false, steps);
      const BinaryTraining training = train_binary_codes(all.vectors, lists, settings, steps);
      const BinaryQuantizer quantizer = training.quantizer(dimension);
      const AllBits cpu = encode_all(all.vectors, lists, quantizer, nullptr);
      for (Resources* const gpu : {&resources(), &little}) {
        const AllBits own = encode_all(all.vectors, lists, quantizer, gpu);
        EXPECT_EQ(own.codes, cpu.codes) << dimension << " components, " << settings.bits;
        EXPECT_EQ(own.terms, cpu.terms) << dimension << " components, " << settings.bits;
        EXPECT_EQ(own.factors, cpu.factors) << dimension << " components, " << settings.bits;
      }
    }
  }
}

TEST_F(GpuIvfBinary, ThreadsSearchAtOnceInBlocksAndBadArgumentsAreTold) {
  auto random = test::generator(176);
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index =
      build(random, folder / "index", Metric::kL2, {64, 20'000, 50, {.bits = 4}});
  // Little memory: blocks are small.
  const auto gpu = search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources(),
                                 {.memory = std::size_t{24} << 20});
  const std::vector<float> queries = test::draw(random, 500 * 64);
  const Neighbors expected = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()))
                                 ->nearest(queries, 10, {.probes = 8, .refine = 30});
  std::vector<Neighbors> found(3);
  {
    std::vector<std::jthread> threads;
    for (Neighbors& one : found) {
      threads.emplace_back([&] { one = gpu->nearest(queries, 10, {.probes = 8, .refine = 30}); });
    }
  }
  for (const Neighbors& one : found) expect_same(one, expected, "threads");
  EXPECT_EQ(gpu->nearest({}, 3, {.probes = 1}).queries, 0U);
  EXPECT_THROW(gpu->nearest(queries, 0, {.probes = 1}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 1, {.probes = 51}), UsageError);
  EXPECT_THROW(search_on_gpu(std::get<Lists<BinaryCoding>>(index.searched()), resources(),
                             {.memory = 1 << 18}),
               Error);
}

}  // namespace
}  // namespace warpdex::vector
