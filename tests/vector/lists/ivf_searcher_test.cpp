// Tests of the inverted file: with all lists probed it answers as exact search does; with some, as
// a plain search of those lists, written apart.
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::vector {
namespace {

using reference::Answer;

VectorIndex build(const std::filesystem::path& target, Metric metric, Store store,
                  std::size_t dimension, std::size_t lists, std::span<const float> rows) {
  VectorIndexWriter writer(target, {.metric = metric,
                                    .store = store,
                                    .dimension = dimension,
                                    .index = vector_kind("ivf-flat"),
                                    .ivf = {.lists = lists}});
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

/// All vectors of the lists whose centroids are nearest, nearest first.
std::vector<Answer> search_plainly(const VectorIndex& index, std::vector<float> query,
                                   std::size_t probes, const RowFilter* filter) {
  const Lists<RowCoding>& ivf = std::get<Lists<RowCoding>>(index.searched());
  const std::size_t dimension = index.settings().dimension;
  const Metric metric = index.settings().metric;
  const Metric coarse = metric == Metric::kInnerProduct ? metric : Metric::kL2;
  if (metric == Metric::kCosine) normalize(query);
  std::vector<Answer> lists;
  for (std::size_t list = 0; list < ivf.lists(); ++list) {
    std::vector<float> centroid(dimension);
    copy_row(ivf.centroids.vectors, list, centroid.data());
    lists.push_back({reference::distance(coarse, query, centroid), list});
  }
  reference::rank(coarse, lists);
  std::vector<Answer> found;
  for (std::size_t i = 0; i < probes; ++i) {
    for (std::size_t p = ivf.begins[lists[i].row]; p < ivf.begins[lists[i].row + 1]; ++p) {
      const std::size_t row = ivf.vectors.row_numbers[p];
      if (filter != nullptr && !filter->contains(row)) continue;
      std::vector<float> vector(dimension);
      copy_row(ivf.vectors.vectors, p, vector.data());
      found.push_back({reference::distance(metric, query, vector), row});
    }
  }
  reference::rank(metric, found);
  return found;
}

struct IvfForm {
  Metric metric;
  Store store;
};

class IvfSearcherForms : public testing::TestWithParam<IvfForm> {};

TEST_P(IvfSearcherForms, AnswersAsAPlainSearchOfTheListsThatAreProbed) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const auto& [rows, dimension, lists] :
       {std::tuple{1, 3, 1}, {33, 4, 33}, {500, 7, 12}, {4000, 33, 40}}) {
    const std::vector<float> values =
        test::draw(random, static_cast<std::size_t>(rows * dimension), 1);
    const VectorIndex index =
        build(folder / "index", metric, store, static_cast<std::size_t>(dimension),
              static_cast<std::size_t>(lists), values);
    ASSERT_TRUE(verify_vectors(folder / "index").ok());
    RowFilter filter(index.rows());
    for (std::size_t row = 0; row < index.rows(); row += 3) filter.add(row);
    for (const std::size_t count : {1, 5, 200}) {
      const std::vector<float> queries = test::draw(random, count * index.settings().dimension, 1);
      for (const std::size_t probes : {1, 4, lists}) {
        if (probes > std::get<Lists<RowCoding>>(index.searched()).lists()) continue;
        for (const RowFilter* const allowed :
             {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
          const auto searcher =
              search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1 + count % 3);
          const std::size_t k = std::min<std::size_t>(10, index.rows());
          const Neighbors found =
              searcher->nearest(queries, k, {.filter = allowed, .probes = probes});
          const float radius = metric == Metric::kL2 ? 4.0F : 3.0F;
          const RangeNeighbors range =
              searcher->within(queries, radius, {.filter = allowed, .probes = probes});
          for (std::size_t q = 0; q < count; ++q) {
            const auto begin =
                queries.begin() + static_cast<std::ptrdiff_t>(q * index.settings().dimension);
            std::vector<Answer> expected =
                search_plainly(index, {begin, begin + dimension}, probes, allowed);
            std::vector<Answer> near = expected;
            if (expected.size() > k) expected.resize(k);
            ASSERT_EQ(reference::answers_to(found, q), expected)
                << rows << " x " << dimension << ", " << count << " queries, " << probes
                << " probes";
            std::erase_if(near, [&, metric = metric](const Answer& one) {
              return metric == Metric::kL2 ? one.distance > radius : one.distance < radius;
            });
            ASSERT_EQ(range.offsets[q + 1] - range.offsets[q], near.size());
            for (std::size_t i = 0; i < near.size(); ++i) {
              ASSERT_EQ(range.rows[range.offsets[q] + i], static_cast<std::int32_t>(near[i].row));
              ASSERT_EQ(range.distances[range.offsets[q] + i], near[i].distance);
            }
          }
        }
      }
    }
    // All lists, and an exact search of the same file.
    const std::vector<float> queries = test::draw(random, 30 * index.settings().dimension, 1);
    const std::size_t k = std::min<std::size_t>(50, index.rows());
    const Neighbors all =
        search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 2)
            ->nearest(queries, k, {.probes = std::get<Lists<RowCoding>>(index.searched()).lists()});
    const Neighbors exact = FlatSearcher(index.flat(), 2).nearest(queries, k);
    EXPECT_EQ(all.rows, exact.rows);
    EXPECT_EQ(all.distances, exact.distances);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, IvfSearcherForms,
                         testing::Values(IvfForm{Metric::kL2, Store::kFloat},
                                         IvfForm{Metric::kL2, Store::kHalf},
                                         IvfForm{Metric::kInnerProduct, Store::kFloat},
                                         IvfForm{Metric::kCosine, Store::kFloat},
                                         IvfForm{Metric::kCosine, Store::kHalf}),
                         [](const testing::TestParamInfo<IvfForm>& form) {
                           return std::string(metric_name(form.param.metric)) + "_" +
                                  std::string(store_name(form.param.store));
                         });

TEST(IvfSearcher, AnExactSearchOfItsFileIsThatOfAFlatIndex) {
  auto random = test::generator(20);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> values = test::draw(random, 3000 * 12, 1);
  const std::vector<float> queries = test::draw(random, 40 * 12, 1);
  const VectorIndex ivf = build(folder / "ivf", Metric::kL2, Store::kFloat, 12, 0, values);
  EXPECT_GT(ivf.settings().ivf.lists, 50U) << "the default";
  VectorIndexWriter writer(folder / "flat", {.dimension = 12});
  writer.add(values);
  writer.commit();
  const VectorIndex flat = VectorIndex::open(folder / "flat");
  EXPECT_EQ(FlatSearcher(ivf.flat()).nearest(queries, 100).rows,
            FlatSearcher(flat.flat()).nearest(queries, 100).rows);
}

TEST(IvfSearcher, RefusesWhatItCannotAnswer) {
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index =
      build(folder / "index", Metric::kL2, Store::kFloat, 1, 2, std::vector<float>{0, 1, 10, 11});
  const auto searcher = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1);
  const std::vector<float> query{0};
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 0}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 3}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 5, {.probes = 1}), UsageError);
  EXPECT_THROW(searcher->within(query, std::nanf(""), {.probes = 1}), UsageError);
  EXPECT_EQ(searcher->nearest({}, 1, {.probes = 1}).queries, 0U);
  const Neighbors one_list = searcher->nearest(query, 4, {.probes = 1});
  EXPECT_EQ(std::count(one_list.rows.begin(), one_list.rows.end(), -1), 2);
  VectorIndexWriter none(folder / "none", {.dimension = 1, .index = vector_kind("ivf-flat")});
  EXPECT_THROW(none.commit(), UsageError);
  VectorIndexWriter few(folder / "few",
                        {.dimension = 1, .index = vector_kind("ivf-flat"), .ivf = {.lists = 3}});
  few.add(std::vector<float>{1, 2});
  EXPECT_THROW(few.commit(), UsageError);
}

TEST(IvfSearcher, DamagedListsAreFoundWhenTheIndexIsOpened) {
  const test::TemporaryFolder folder(test::place_in_memory());
  auto random = test::generator(21);
  build(folder / "index", Metric::kL2, Store::kFloat, 3, 5, test::draw(random, 300, 1));
  const std::vector<float> queries = test::draw(random, 90, 1);
  std::size_t refused = 0;
  for (const char* name :
       {"row_numbers", "list_begins", "centroids", "centroid_norms", "vectors"}) {
    const std::filesystem::path file = folder / "index" / "segment-0" / name;
    const std::string bytes = test::read_file(file);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + random() % 5) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
      test::write_file(file, damaged);
      try {
        const VectorIndex index = VectorIndex::open(folder / "index");
        const auto searcher = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1);
        searcher->nearest(queries, 100, {.probes = 5});
        searcher->within(queries, 3, {.probes = 2});
      } catch (const FormatError&) {
        ++refused;
      }
      EXPECT_FALSE(verify_vectors(folder / "index").ok()) << name << " byte " << i;
    }
    test::write_file(file, bytes);
  }
  EXPECT_GT(refused, 10U);
  // Norms that no vector has: nothing may be concluded from them.
  for (const char* name : {"centroid_norms", "norms"}) {
    const std::filesystem::path file = folder / "index" / "segment-0" / name;
    const std::string bytes = test::read_file(file);
    std::string damaged = bytes;
    const float negative = -1e30F;
    for (std::size_t i = 64; i + 68 <= bytes.size(); i += 4) {
      std::memcpy(damaged.data() + i, &negative, 4);
    }
    test::write_file(file, damaged);
    const VectorIndex index = VectorIndex::open(folder / "index");
    const Neighbors found = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1)
                                ->nearest(queries, 10, {.probes = 3});
    EXPECT_EQ(found.queries, 30U);
    search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 1)
        ->within(queries, 3, {.probes = 3});
    EXPECT_FALSE(verify_vectors(folder / "index").ok());
    test::write_file(file, bytes);
  }
}

TEST(IvfSearcherReal, FindsMostNeighboursInFewLists) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const test::TemporaryFolder folder(test::place_in_memory());
  const auto read = [](const char* name) {
    return read_float_matrix((test::data_folder() / "vectors" / name).string());
  };
  const Matrix<float> base = read("wallpaper_sift_10k_base.bvecs");
  const Matrix<float> queries = read("wallpaper_sift_10k_query.bvecs");
  const VectorIndex index =
      build(folder / "index", Metric::kL2, Store::kFloat, base.columns, 100, base.values);
  const Neighbors exact = FlatSearcher(index.flat()).nearest(queries.values, 10);
  const auto recall = [&](std::size_t probes) {
    const Neighbors found = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()))
                                ->nearest(queries.values, 10, {.probes = probes});
    std::size_t hits = 0;
    for (std::size_t q = 0; q < found.queries; ++q) {
      for (std::size_t i = 0; i < 10; ++i) {
        const auto begin = exact.rows.begin() + static_cast<std::ptrdiff_t>(q * 10);
        hits += static_cast<std::size_t>(std::count(begin, begin + 10, found.rows[q * 10 + i]));
      }
    }
    return static_cast<double>(hits) / static_cast<double>(found.rows.size());
  };
  EXPECT_GT(recall(10), 0.85);
  EXPECT_GT(recall(30), 0.97);
  EXPECT_EQ(recall(100), 1.0);
}

}  // namespace
}  // namespace warpdex::vector
