// Tests of inverted files that are built in memory: what an index on a disk has, to the bit, and
// what is refused.
#include "warpdex/vector/lists/owned/list_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex::vector {
namespace {

using testing::HasSubstr;

VectorIndex store(const std::filesystem::path& target, const VectorIndexSettings& settings,
                  std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

template <class Value>
std::vector<Value> copied(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

std::vector<float> rows_of(const VectorView& view) {
  std::vector<float> values(view.rows * view.dimension);
  for (std::size_t i = 0; i < view.rows; ++i) copy_row(view, i, values.data() + i * view.dimension);
  return values;
}

void expect_same_lists(const FlatVectors& centroids, std::span<const std::uint64_t> begins,
                       const FlatVectors& other, std::span<const std::uint64_t> other_begins) {
  EXPECT_EQ(copied(begins), copied(other_begins));
  EXPECT_EQ(centroids.metric, other.metric);
  EXPECT_EQ(rows_of(centroids.vectors), rows_of(other.vectors));
  EXPECT_EQ(copied(centroids.norms), copied(other.norms));
}

TEST(IvfBuilder, WholeVectorsInMemoryAreThoseOfAnIndex) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const Store kind : {Store::kFloat, Store::kHalf}) {
      for (const std::size_t rows : {1, 33, 900}) {
        const VectorIndexSettings settings{.metric = metric,
                                           .store = kind,
                                           .dimension = 7,
                                           .index = vector_kind("ivf-flat"),
                                           .ivf = {.lists = std::min<std::size_t>(rows, 20)}};
        const std::vector<float> values = test::draw(random, rows * 7, 1);
        const VectorIndex index = store(folder / "index", settings, values);
        VectorIndexSettings flat = settings;
        flat.index = vector_kind("flat");
        const VectorIndex plain = store(folder / "flat", flat, values);
        const OwnedRowLists built = build_row_lists(plain.flat(), settings.ivf);
        const Lists<RowCoding> view = built.view();
        expect_same_lists(view.centroids, view.begins,
                          std::get<Lists<RowCoding>>(index.searched()).centroids,
                          std::get<Lists<RowCoding>>(index.searched()).begins);
        EXPECT_EQ(copied(view.vectors.row_numbers), copied(index.flat().row_numbers));
        EXPECT_EQ(copied(view.vectors.norms), copied(index.flat().norms));
        EXPECT_EQ(rows_of(view.vectors.vectors), rows_of(index.flat().vectors));
        const std::vector<float> queries = test::draw(random, 5 * 7, 1);
        const Neighbors found = search_on_cpu(view, 1)->nearest(queries, rows, {.probes = 1});
        const Neighbors expected = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1)
                                       ->nearest(queries, rows, {.probes = 1});
        EXPECT_EQ(found.rows, expected.rows);
        EXPECT_EQ(found.distances, expected.distances);
      }
    }
  }
}

TEST(IvfBuilder, CodesInMemoryAreThoseOfAnIndex) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const PqSettings& pq :
         {PqSettings{}, PqSettings{.bytes = 9}, PqSettings{.bytes = 4, .bits = 4},
          PqSettings{.bytes = 3, .is_rotated = true, .keeps_vectors = false}}) {
      const VectorIndexSettings settings{.metric = metric,
                                         .dimension = 9,
                                         .index = vector_kind("ivf-pq"),
                                         .ivf = {.lists = 11, .seed = 5},
                                         .pq = pq};
      const std::vector<float> values = test::draw(random, std::size_t{700} * 9, 1);
      const VectorIndex index = store(folder / "index", settings, values);
      const VectorIndex plain = store(folder / "flat", {.metric = metric, .dimension = 9}, values);
      const OwnedCodeLists<PqCoding> built = build_pq_lists(plain.flat(), settings.ivf, pq);
      const Lists<PqCoding> view = built.view();
      const Lists<PqCoding>& expected = std::get<Lists<PqCoding>>(index.searched());
      expect_same_lists(view.centroids, view.begins, expected.centroids, expected.begins);
      EXPECT_EQ(copied(view.row_numbers), copied(expected.row_numbers));
      EXPECT_EQ(copied(view.group_begins), copied(expected.group_begins));
      EXPECT_EQ(copied(view.codes), copied(expected.codes));
      EXPECT_EQ(copied(view.terms), copied(expected.terms));
      EXPECT_EQ(copied(view.quantizer.codebooks), copied(expected.quantizer.codebooks));
      EXPECT_EQ(copied(view.quantizer.rotation), copied(expected.quantizer.rotation));
      EXPECT_EQ(view.keeps_vectors(), pq.keeps_vectors);
      const std::vector<float> queries = test::draw(random, 5 * 9, 1);
      EXPECT_EQ(search_on_cpu(view, 1)->nearest(queries, 20, {.probes = 3}).distances,
                search_on_cpu(expected, 1)->nearest(queries, 20, {.probes = 3}).distances);
    }
  }
}

// A query's product with a longer centroid would be larger, whatever its direction.
TEST(IvfBuilder, CentroidsForProductsHaveTheMeanLength) {
  auto random = test::generator(7);
  const std::size_t dimension = 6;
  std::vector<float> values = test::draw(random, 2000 * dimension, 1);
  double mean = 0;
  for (std::size_t row = 0; row < 2000; ++row) {
    double squared = 0;
    for (std::size_t c = 0; c < dimension; ++c) {
      float& component = values[row * dimension + c];
      component *= static_cast<float>(1 + row % 5);
      squared += double{component} * component;
    }
    mean += std::sqrt(squared) / 2000;
  }
  const Collection rows(Metric::kInnerProduct, Store::kFloat, dimension, values);
  const OwnedRowLists built = build_row_lists(rows.vectors, {.lists = 9, .train = 2000});
  for (std::size_t list = 0; list < 9; ++list) {
    double squared = 0;
    for (std::size_t c = 0; c < dimension; ++c) {
      const double component = built.lists.centroids[list * dimension + c];
      squared += component * component;
    }
    EXPECT_NEAR(std::sqrt(squared), mean, 1e-4 * mean) << list;
  }
}

TEST(IvfPqTiles, JoinedTilesAreWhatAllRowsAtOnceAre) {
  auto random = test::generator(5);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    const std::size_t dimension = 9;
    const Collection all(metric, Store::kFloat, dimension, test::draw(random, 1500 * dimension));
    const IvfSettings ivf{.lists = 12};
    for (const PqSettings& pq : {PqSettings{.bytes = 3, .keeps_vectors = false},
                                 PqSettings{.bytes = 4, .bits = 4, .keeps_vectors = false}}) {
      const OwnedCodeLists<PqCoding> expected = build_pq_lists(all.vectors, ivf, pq);
      for (const std::size_t size : {1, 31, 32, 33, 700, 1500, 2000}) {
        IvfPqTiles tiles(all.vectors, ivf, pq);
        for (std::size_t first = 0; first < 1500; first += size) {
          tiles.add(all.vectors.vectors.slice(first, std::min(size, 1500 - first)));
          tiles.add(all.vectors.vectors.slice(first, 0));
        }
        const OwnedCodeLists<PqCoding> joined = tiles.finish();
        EXPECT_EQ(joined.lists.begins, expected.lists.begins) << size;
        EXPECT_EQ(joined.lists.row_numbers, expected.lists.row_numbers) << size;
        EXPECT_EQ(joined.group_begins, expected.group_begins) << size;
        EXPECT_EQ(joined.codes, expected.codes) << size;
        EXPECT_EQ(joined.terms, expected.terms) << size;
        const std::vector<float> queries = test::draw(random, 5 * dimension, 1);
        EXPECT_EQ(search_on_cpu(joined.view(), 1)->nearest(queries, 20, {.probes = 3}).rows,
                  search_on_cpu(expected.view(), 1)->nearest(queries, 20, {.probes = 3}).rows);
      }
    }
  }
}

TEST(IvfPqTiles, RefuseOtherDimensionsAndMayHaveNoRows) {
  auto random = test::generator(6);
  const Collection sample(Metric::kL2, Store::kFloat, 4, test::draw(random, 400));
  const Collection other(Metric::kL2, Store::kFloat, 5, test::draw(random, 50));
  IvfPqTiles tiles(sample.vectors, {.lists = 3}, {.bytes = 2});
  EXPECT_THROW(tiles.add(other.vectors.vectors), UsageError);
  VectorView many = sample.vectors.vectors;
  many.rows = std::size_t{1} << 31;
  EXPECT_THROW(tiles.add(many), UsageError);
  const OwnedCodeLists<PqCoding> none = tiles.finish();
  EXPECT_EQ(none.lists.begins, std::vector<std::uint64_t>(4, 0));
  EXPECT_TRUE(none.codes.empty());
}

TEST(IvfBuilder, TellsOfStepsAndProgress) {
  auto random = test::generator(3);
  const Collection rows(Metric::kL2, Store::kFloat, 4, test::draw(random, 4000));
  std::vector<std::string> steps;
  std::vector<std::string> stages;
  BuildDevice device;
  device.on_step = [&](const BuildStep& step) {
    steps.emplace_back(step.name);
    EXPECT_GE(step.seconds, 0);
    EXPECT_FALSE(step.is_on_gpu);
  };
  const BuildProgress progress = [&](const char* stage, std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    if (stages.empty() || stages.back() != stage) stages.emplace_back(stage);
  };
  build_pq_lists(rows.vectors, {.lists = 5}, {.bytes = 2, .is_rotated = true}, progress, device);
  EXPECT_THAT(steps,
              testing::ElementsAre("training lists", "assigning", "sorting", "sampling residuals",
                                   "training rotation", "training codes", "encoding"));
  EXPECT_THAT(stages, testing::ElementsAre("training", "assigning", "training rotation",
                                           "training codes", "encoding"));
  const BuildProgress stop = [](const char*, std::uint64_t, std::uint64_t) { throw 7; };
  EXPECT_THROW(build_row_lists(rows.vectors, {}, stop), int);
}

TEST(IvfBuilder, RefusesWhatItCannotBuild) {
  auto random = test::generator(4);
  const auto message_of = [](const FlatVectors& rows, const IvfSettings& ivf,
                             const PqSettings& pq) -> std::string {
    try {
      build_pq_lists(rows, ivf, pq);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const InputError& error) {
      return std::string("input: ") + error.what();
    }
    return "taken";
  };
  const Collection none(Metric::kL2, Store::kFloat, 3, {});
  EXPECT_THAT(message_of(none.vectors, {}, {}), HasSubstr("one vector or more"));
  const Collection few(Metric::kL2, Store::kFloat, 3, test::draw(random, 9));
  EXPECT_THAT(message_of(few.vectors, {.lists = 4}, {}), HasSubstr("not 4"));
  EXPECT_THAT(message_of(few.vectors, {}, {.bytes = 4}), HasSubstr("1 to 3 bytes"));
  EXPECT_THAT(message_of(few.vectors, {}, {.bits = 7}), HasSubstr("8 or 4 bits"));
  Collection bad(Metric::kL2, Store::kFloat, 3, test::draw(random, 3000));
  bad.rows[std::size_t{3} * 712 + 1] = std::numeric_limits<float>::quiet_NaN();
  // Trained on others, so that the row comes up first when it is assigned.
  EXPECT_THAT(message_of(bad.vectors, {.lists = 2, .train = 2}, {}),
              HasSubstr("input: row 712 (counted from 0)"));
}

}  // namespace
}  // namespace warpdex::vector
