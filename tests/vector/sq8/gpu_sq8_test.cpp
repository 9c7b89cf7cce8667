// Tests of codes of a byte a component on a GPU: the bits that the CPU gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sq8/lists/list_codes.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

struct Sq8Shape {
  std::size_t dimension;
  std::size_t rows;
  std::size_t lists;  ///< 0: all vectors without lists
};

VectorIndex build_gpu_sq8(std::mt19937_64& random, const std::filesystem::path& folder,
                          Metric metric, const Sq8Shape& shape) {
  VectorIndexWriter writer(folder, {.metric = metric,
                                    .dimension = shape.dimension,
                                    .index = vector_kind(shape.lists == 0 ? "sq8" : "ivf-sq8"),
                                    .ivf = {.lists = shape.lists}});
  std::vector<float> rows = test::draw(random, shape.rows * shape.dimension, 0.5F);
  // Some of them twice: ties.
  const std::size_t some = std::min<std::size_t>(shape.rows / 2, 40) * shape.dimension;
  for (std::size_t i = 0; i < some; ++i) rows[rows.size() - 1 - i] = rows[some - 1 - i];
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(folder);
}

std::string describe_sq8(Metric metric, const Sq8Shape& shape, std::size_t probes, std::size_t k) {
  return std::string(metric_name(metric)) + ", " + std::to_string(shape.rows) + " x " +
         std::to_string(shape.dimension) + ", " + std::to_string(shape.lists) + " lists, probes " +
         std::to_string(probes) + ", k " + std::to_string(k);
}

class GpuSq8Forms : public GpuFlat, public testing::WithParamInterface<Metric> {
 protected:
  /// Compares all forms of a search of some queries.
  void compare(std::mt19937_64& random, const VectorIndex& index, const Sq8Shape& shape,
               std::size_t count, const std::vector<std::size_t>& sizes) {
    const auto& codes = std::get<Lists<Sq8Coding>>(index.searched());
    const auto cpu = search_on_cpu(codes);
    const auto gpu = search_on_gpu(codes, resources());
    const auto bare = search_on_gpu(codes, resources(), {.memory = 0, .keeps_vectors = false});
    const RowFilter filter = draw_filter(random, shape.rows, 2 + random() % 9);
    const std::vector<float> queries = test::draw(random, count * shape.dimension, 0.5F);
    for (const std::size_t probes : {std::size_t{1}, (shape.lists + 2) / 2, codes.lists()}) {
      for (const std::size_t k : sizes) {
        const std::string what = describe_sq8(GetParam(), shape, probes, k);
        SearchOptions depth{.probes = probes};
        expect_same(gpu->nearest(queries, k, depth), cpu->nearest(queries, k, depth), what);
        depth.filter = &filter;
        expect_same(gpu->nearest(queries, k, depth), cpu->nearest(queries, k, depth),
                    what + ", filtered");
        depth.refine = 1 + random() % 200;
        const Neighbors refined = cpu->nearest(queries, k, depth);
        expect_same(gpu->nearest(queries, k, depth), refined, what + ", refined");
        expect_same(bare->nearest(queries, k, depth), refined, what + ", refined on the host");
        if (HasFailure()) return;
      }
    }
  }
};

TEST_P(GpuSq8Forms, AnswersAreTheCpus) {
  auto random = test::generator(200 + static_cast<std::uint64_t>(GetParam()));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Sq8Shape& shape :
       {Sq8Shape{1, 31, 0}, Sq8Shape{33, 129, 7}, Sq8Shape{96, 4000, 40}, Sq8Shape{130, 2000, 300},
        Sq8Shape{20, 3000, 0}, Sq8Shape{64, 32, 2}, Sq8Shape{7, 33, 1}, Sq8Shape{129, 127, 3}}) {
    const VectorIndex index = build_gpu_sq8(random, folder / "index", GetParam(), shape);
    for (const std::size_t count : {1, 2, 9, 129}) {
      compare(random, index, shape, count,
              {1, std::min<std::size_t>(60, shape.rows), count == 1 ? shape.rows : 5});
      if (HasFailure()) return;
    }
  }
}

/// From 10 queries a list on. 700 queries fill several tasks of a list; lists hold up to 512 of the
/// nearest by one form, and more by the other. A list of 60,000 vectors takes several rounds.
TEST_P(GpuSq8Forms, ManyQueriesListByList) {
  auto random = test::generator(210 + static_cast<std::uint64_t>(GetParam()));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Sq8Shape& shape :
       {Sq8Shape{65, 9000, 6}, Sq8Shape{128, 3000, 50}, Sq8Shape{31, 60'000, 0}}) {
    const VectorIndex index = build_gpu_sq8(random, folder / "index", GetParam(), shape);
    compare(random, index, shape, shape.lists == 0 ? 150 : 700, {1, 10, 100, 512, 513});
    if (HasFailure()) return;
  }
}

TEST_P(GpuSq8Forms, RangesAreTheCpus) {
  auto random = test::generator(220 + static_cast<std::uint64_t>(GetParam()));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t lists : {0, 20}) {
    const VectorIndex index =
        build_gpu_sq8(random, folder / "index", GetParam(), {50, 5000, lists});
    const auto& codes = std::get<Lists<Sq8Coding>>(index.searched());
    const auto cpu = search_on_cpu(codes);
    const auto gpu = search_on_gpu(codes, resources());
    const RowFilter filter = draw_filter(random, 5000, 3);
    const std::vector<float> queries = test::draw(random, 5 * 50, 0.5F);
    SearchOptions depth{.probes = lists == 0 ? std::size_t{1} : 6};
    const Neighbors some = cpu->nearest(queries, 200, depth);
    for (const std::size_t place : {0, 10, 199}) {
      const float radius = some.distances[place];
      expect_same(gpu->within(queries, radius, depth), cpu->within(queries, radius, depth),
                  "range");
      expect_same(gpu->within(queries, radius, depth.among(&filter)),
                  cpu->within(queries, radius, depth.among(&filter)), "range, filtered");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuSq8Forms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

using GpuSq8 = GpuFlat;

/// More are as near as the last than lists of candidates have places, of vectors as
/// large as there may be, too: such queries are searched once more.
TEST_F(GpuSq8, ManyEqualVectorsAndHugeOnes) {
  auto random = test::generator(230);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const float size : {1.0F, 2e16F}) {
    VectorIndexWriter writer(folder / "index", {.metric = Metric::kL2,
                                                .dimension = 16,
                                                .index = vector_kind("ivf-sq8"),
                                                .ivf = {.lists = 2}});
    std::vector<float> rows;
    for (int i = 0; i < 12'000; ++i) {
      for (int c = 0; c < 16; ++c) rows.push_back(i % 2 == 0 ? size : -size);
    }
    writer.add(rows);
    writer.commit();
    const VectorIndex index = VectorIndex::open(folder / "index");
    const auto& codes = std::get<Lists<Sq8Coding>>(index.searched());
    const auto gpu = search_on_gpu(codes, resources());
    const std::vector<float> queries = test::draw(random, 40 * 16, 0.5F);
    for (const std::size_t probes : {1, 2}) {
      expect_same(gpu->nearest(queries, 7, {.probes = probes}),
                  search_on_cpu(codes)->nearest(queries, 7, {.probes = probes}), "equal vectors");
    }
  }
}

/// What encoding hands on, put together.
struct AllBytes {
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
};

AllBytes encode_all_bytes(const FlatVectors& rows, const IvfLists& lists,
                          const Sq8Quantizer& quantizer, Resources* gpu) {
  AllBytes all;
  const ListGroups groups(lists.members);
  bool was_on_gpu = false;
  BuildSteps steps({}, {.gpu = gpu, .on_cpu = {}, .on_step = [&](const BuildStep& step) {
                          was_on_gpu = step.is_on_gpu;
                        }});
  encode_list_codes(rows, {quantizer, lists.centroids, rows.centre, rows.metric == Metric::kL2},
                    groups, 0, steps, [&](const EncodedBlock& some) {
                      all.codes.insert(all.codes.end(), some.codes.begin(), some.codes.end());
                      for_each_piece(groups, some, some.terms, [&](std::span<const float> piece) {
                        all.terms.insert(all.terms.end(), piece.begin(), piece.end());
                      });
                    });
  EXPECT_EQ(was_on_gpu, gpu != nullptr);
  return all;
}

TEST_F(GpuSq8, CodesAreTheCpus) {
  auto random = test::generator(240);
  Resources little({.device = 0, .memory = std::size_t{4} << 20, .host_memory = 0});
  for (const std::size_t dimension : {1, 6, 33, 96}) {
    for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
      const Store store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
      const Collection all(metric, store, dimension, test::draw(random, 5000 * dimension, 1, 2));
      BuildSteps steps({}, {});
      const IvfLists lists = make_lists(all.vectors, {.lists = 60}, false, steps);
      const Sq8Training training = train_scales(all.vectors, lists, 0, steps);
      const Sq8Quantizer quantizer = training.quantizer(dimension);
      const AllBytes cpu = encode_all_bytes(all.vectors, lists, quantizer, nullptr);
      for (Resources* const gpu : {&resources(), &little}) {
        const AllBytes own = encode_all_bytes(all.vectors, lists, quantizer, gpu);
        EXPECT_EQ(own.codes, cpu.codes) << dimension << " components";
        EXPECT_EQ(own.terms, cpu.terms) << dimension << " components";
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
