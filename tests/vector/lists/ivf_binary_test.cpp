// Tests of inverted files of binary codes: how they are built and stored, and that answers are
// those of codes read one by one.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/lists/plain_list_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"
#include "warpdex/vector/search/reconstructed_rows.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {
namespace {

VectorIndex build(const std::filesystem::path& target, const VectorIndexSettings& settings,
                  std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

VectorIndexSettings settings_of(Metric metric, std::size_t dimension, std::size_t lists,
                                const BinarySettings& binary) {
  return {.metric = metric,
          .dimension = dimension,
          .index = vector_kind("ivf-xfbq"),
          .ivf = {.lists = lists},
          .binary = binary};
}

std::vector<reference::Answer> first(std::vector<reference::Answer> answers, std::size_t k) {
  answers.resize(std::min(k, answers.size()));
  return answers;
}

TEST(IvfBinary, TinyAndOddSizesAreBuiltVerifiedAndSearched) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t rows : {1, 2, 31, 33, 600}) {
    for (const std::size_t dimension : {1, 31, 33}) {
      for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
        for (const bool keeps_vectors : {true, false}) {
          VectorIndexSettings settings =
              settings_of(metric, dimension, std::min<std::size_t>(rows, 1 + random() % 9),
                          {.bits = 1 + random() % 8,
                           .is_rotated = random() % 2 == 0,
                           .is_corrected = random() % 2 == 0});
          settings.store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
          settings.pq.keeps_vectors = keeps_vectors;
          const VectorIndex index =
              build(folder / "index", settings, test::draw(random, rows * dimension, 1));
          ASSERT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
          EXPECT_EQ(index.settings().pq.keeps_vectors, keeps_vectors);
          EXPECT_EQ(index.settings().binary.bits, settings.binary.bits);
          EXPECT_EQ(index.settings().binary.is_rotated, settings.binary.is_rotated);
          EXPECT_EQ(index.settings().binary.is_corrected, settings.binary.is_corrected);
          EXPECT_EQ(std::get<Lists<BinaryCoding>>(index.searched()).rows(), rows);
          const std::vector<float> query = test::draw(random, dimension, 1);
          const auto searcher = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()), 2);
          if (!keeps_vectors) {
            EXPECT_THROW(searcher->nearest(query, 1, {.probes = 1, .refine = 1}), UsageError);
            EXPECT_THROW(index.flat(), UsageError);
            continue;
          }
          const Neighbors refined =
              searcher->nearest(query, rows, {.probes = settings.ivf.lists, .refine = rows});
          EXPECT_EQ(refined.rows, FlatSearcher(index.flat(), 1).nearest(query, rows).rows);
        }
      }
    }
  }
}

TEST(IvfBinary, AnswersAreThoseOfCodesReadOneByOne) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const bool is_corrected : {false, true}) {
      const std::size_t dimension = 20 + random() % 60;
      const VectorIndexSettings settings =
          settings_of(metric, dimension, 9,
                      {.bits = 1 + random() % 6, .is_rotated = true, .is_corrected = is_corrected});
      std::vector<float> rows = test::draw(random, 1500 * dimension, 0.5F, 2);
      // Some of them twice: ties.
      for (std::size_t i = 0; i < 100 * dimension; ++i) rows[i] = rows[200 * dimension + i];
      const VectorIndex index = build(folder / "index", settings, rows);
      const Lists<BinaryCoding>& vectors = std::get<Lists<BinaryCoding>>(index.searched());
      RowFilter filter(1500);
      for (std::size_t row = 0; row < 1500; row += 1 + random() % 4) filter.add(row);
      std::vector<float> queries = test::draw(random, 6 * dimension, 0.5F, 2);
      // Away from the centre, and shorter than the rows.
      for (std::size_t i = 0; i < 2 * dimension; ++i) queries[i] *= i < dimension ? -1 : 0.01F;
      for (const std::size_t probes : {1, 4, 9}) {
        const std::size_t query_bits = 1 + random() % 8;
        for (const RowFilter* allowed :
             {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
          const Neighbors found =
              search_on_cpu(vectors, 1 + random() % 3)
                  ->nearest(queries, 40,
                            {.filter = allowed, .probes = probes, .query_bits = query_bits});
          for (std::size_t q = 0; q < 6; ++q) {
            const std::vector<float> query(
                queries.begin() + static_cast<std::ptrdiff_t>(q * dimension),
                queries.begin() + static_cast<std::ptrdiff_t>((q + 1) * dimension));
            const std::vector<reference::Answer> all = reference::rank_list_codes(
                vectors, query, static_cast<int>(query_bits), probes, allowed);
            ASSERT_EQ(reference::answers_to(found, q), first(all, 40))
                << metric_name(metric) << (is_corrected ? ", corrected, " : ", ") << probes;
            const float radius = all[all.size() / 2].distance;
            const RangeNeighbors near = search_on_cpu(vectors)->within(
                query, radius, {.filter = allowed, .probes = probes, .query_bits = query_bits});
            const auto is_near = [&](const reference::Answer& one) {
              return metric == Metric::kL2 ? one.distance <= radius : one.distance >= radius;
            };
            EXPECT_EQ(near.rows.size(), std::count_if(all.begin(), all.end(), is_near));
          }
        }
      }
    }
  }
}

TEST(IvfBinary, RefinedAnswersAreExactAmongTheCandidates) {
  auto random = test::generator(3);
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index = build(folder / "index", settings_of(Metric::kL2, 24, 7, {.bits = 2}),
                                  test::draw(random, 900 * 24));
  const auto searcher = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()));
  const std::vector<float> query = test::draw(random, 24);
  const Neighbors by_codes = searcher->nearest(query, 50, {.probes = 3});
  const Neighbors refined = searcher->nearest(query, 10, {.probes = 3, .refine = 50});
  RowFilter candidates(900);
  for (const std::int32_t row : by_codes.rows) candidates.add(static_cast<std::size_t>(row));
  const Neighbors exact = FlatSearcher(index.flat()).nearest(query, 10, {.filter = &candidates});
  EXPECT_EQ(refined.rows, exact.rows);
  EXPECT_EQ(refined.distances, exact.distances);
}

/// The term is all of a squared distance but the centroid's and the product of the residual.
TEST(IvfBinary, TermsAndCodesAreThoseOfResiduals) {
  auto random = test::generator(4);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const bool is_corrected : {false, true}) {
    const VectorIndex index =
        build(folder / "index",
              settings_of(Metric::kL2, 33, 5,
                          {.bits = 8, .is_rotated = true, .clip = 0, .is_corrected = is_corrected}),
              test::draw(random, 400 * 33, 3));
    const Lists<BinaryCoding>& vectors = std::get<Lists<BinaryCoding>>(index.searched());
    const ReconstructedRows reconstructed(index);
    const StoredRows stored(index);
    for (std::size_t list = 0; list < vectors.lists(); ++list) {
      std::vector<float> centroid(33);
      copy_row(vectors.centroids.vectors, list, centroid.data());
      for (std::size_t p = vectors.begins[list]; p < vectors.begins[list + 1]; ++p) {
        std::vector<float> row(33);
        std::vector<float> decoded(33);
        stored.copy(vectors.row_numbers[p], row.data());
        reconstructed.copy(vectors.row_numbers[p], decoded.data());
        double term = 0;
        double length = 0;
        double error = 0;
        for (std::size_t c = 0; c < 33; ++c) {
          const double y = double{row[c]} - double{centroid[c]};
          term += y * y + 2 * y * (double{centroid[c]} - double{vectors.quantizer.centre[c]});
          length += y * y;
          error += std::pow(double{row[c]} - double{decoded[c]}, 2);
        }
        EXPECT_NEAR(vectors.terms[p], term, 1e-4 * (1 + std::abs(term)));
        EXPECT_LT(std::sqrt(error), 0.05 * std::sqrt(length) + 0.05);
      }
    }
  }
}

/// The term of products is minus the product of the residual and the mean of the rows.
TEST(IvfBinary, TermsOfProductsAreThoseOfTheCentre) {
  auto random = test::generator(8);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kInnerProduct, Metric::kCosine}) {
    const VectorIndex index = build(folder / "index", settings_of(metric, 33, 5, {.bits = 2}),
                                    test::draw(random, 400 * 33, 3));
    const Lists<BinaryCoding>& vectors = std::get<Lists<BinaryCoding>>(index.searched());
    const StoredRows stored(index);
    std::vector<double> mean(33);
    std::vector<float> row(33);
    for (std::size_t i = 0; i < 400; ++i) {
      stored.copy(i, row.data());
      for (std::size_t c = 0; c < 33; ++c) mean[c] += double{row[c]} / 400;
    }
    ASSERT_EQ(vectors.terms.size(), 400U);
    std::vector<float> centroid(33);
    for (std::size_t list = 0; list < vectors.lists(); ++list) {
      copy_row(vectors.centroids.vectors, list, centroid.data());
      for (std::size_t p = vectors.begins[list]; p < vectors.begins[list + 1]; ++p) {
        stored.copy(vectors.row_numbers[p], row.data());
        double term = 0;
        for (std::size_t c = 0; c < 33; ++c) {
          EXPECT_NEAR(vectors.quantizer.centre[c], mean[c], 1e-4);
          term -= mean[c] * (double{row[c]} - double{centroid[c]});
        }
        EXPECT_NEAR(vectors.terms[p], term, 1e-4 * (1 + std::abs(term)));
      }
    }
  }
}

TEST(IvfBinary, VerifyFindsCodesOfOtherVectorsAndBadArgumentsAreTold) {
  auto random = test::generator(5);
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndexSettings settings = settings_of(Metric::kL2, 12, 4, {.is_corrected = true});
  const std::vector<float> rows = test::draw(random, 300 * 12);
  const VectorIndex index = build(folder / "index", settings, rows);
  const auto searcher = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()));
  const std::vector<float> query = test::draw(random, 12);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 0}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 5}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 0, {.probes = 1}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 1, .query_bits = 9}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 1, .refine = 5, .extra = 1}), UsageError);
  VectorIndexSettings bad = settings;
  bad.binary.bits = 9;
  EXPECT_THROW(VectorIndexWriter(folder / "bad", bad), UsageError);
  // Codes of other vectors, in the same lists or not.
  std::vector<float> others = rows;
  for (std::size_t i = 0; i < 12; ++i) others[7 * 12 + i] = -others[7 * 12 + i];
  build(folder / "other", settings, others);
  std::filesystem::copy_file(folder / "other" / "segment-0" / "vectors",
                             folder / "index" / "segment-0" / "vectors",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(verify_vectors(folder / "index").ok());
}

TEST(IvfBinary, ThreadsDoNotChangeAByte) {
  auto random = test::generator(6);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 3000 * 8);
  VectorIndexSettings settings =
      settings_of(Metric::kL2, 8, 11, {.bits = 3, .is_rotated = true, .is_corrected = true});
  settings.ivf.threads = 1;
  settings.binary.threads = 1;
  const VectorIndex one = build(folder / "one", settings, rows);
  settings.ivf.threads = 3;
  settings.binary.threads = 3;
  build(folder / "three", settings, rows);
  for (const SectionInfo& section : one.section_infos()) {
    EXPECT_EQ(test::read_file(folder / "one" / "segment-0" / section.name),
              test::read_file(folder / "three" / "segment-0" / section.name))
        << section.name;
  }
}

TEST(IvfBinary, BuildsInMemoryWhatAnIndexHas) {
  auto random = test::generator(7);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kCosine}) {
    const BinarySettings binary{
        .bits = 3, .is_rotated = true, .is_corrected = metric == Metric::kL2};
    const VectorIndex index = build(folder / "index", settings_of(metric, 20, 9, binary),
                                    test::draw(random, 700 * 20, 1));
    const OwnedCodeLists<BinaryCoding> built =
        build_binary_lists(index.flat(), {.lists = 9}, binary);
    const Lists<BinaryCoding> view = built.view();
    const Lists<BinaryCoding>& stored = std::get<Lists<BinaryCoding>>(index.searched());
    const auto is_same = [](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    EXPECT_TRUE(is_same(view.codes, stored.codes));
    EXPECT_TRUE(is_same(view.terms, stored.terms));
    EXPECT_TRUE(is_same(view.factors, stored.factors));
    EXPECT_TRUE(is_same(view.row_numbers, stored.row_numbers));
    const std::vector<float> query = test::draw(random, 20);
    const Neighbors a = search_on_cpu(view)->nearest(query, 30, {.probes = 4, .refine = 40});
    const Neighbors b = search_on_cpu(stored)->nearest(query, 30, {.probes = 4, .refine = 40});
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.distances, b.distances);
  }
}

}  // namespace
}  // namespace warpdex::vector
