// Tests of codes of a byte a component: how they are built and stored, and that answers are those
// of codes read one by one.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "sq8/byte_kernels.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/sq8/plain_bytes.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/make_searcher.hpp"
#include "warpdex/vector/search/reconstructed_rows.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {
namespace {

/// Without lists all vectors are one.
VectorIndexSettings sq8_settings(Metric metric, std::size_t dimension, std::size_t lists) {
  return {.metric = metric,
          .dimension = dimension,
          .index = vector_kind(lists == 0 ? "sq8" : "ivf-sq8"),
          .ivf = {.lists = lists}};
}

VectorIndex build_sq8(const std::filesystem::path& target, const VectorIndexSettings& settings,
                      std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

const Lists<Sq8Coding>& codes_of(const VectorIndex& index) {
  return std::get<Lists<Sq8Coding>>(index.searched());
}

std::vector<float> query_of(const std::vector<float>& queries, std::size_t dimension,
                            std::size_t q) {
  const auto begin = queries.begin() + static_cast<std::ptrdiff_t>(q * dimension);
  return {begin, begin + static_cast<std::ptrdiff_t>(dimension)};
}

constexpr Metric kSq8Metrics[] = {Metric::kL2, Metric::kInnerProduct, Metric::kCosine};

TEST(Sq8Index, TinyAndOddSizesAreBuiltVerifiedAndSearched) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 600}) {
    for (const std::size_t dimension : {1, 3, 16, 31, 33}) {
      const Metric metric = kSq8Metrics[random() % 3];
      const std::size_t lists = random() % 2 * std::min<std::size_t>(rows, 1 + random() % 9);
      VectorIndexSettings settings = sq8_settings(metric, dimension, lists);
      settings.store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
      settings.pq.keeps_vectors = random() % 3 != 0;
      const VectorIndex index =
          build_sq8(folder / "index", settings, test::draw(random, rows * dimension, 1));
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(dimension));
      ASSERT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
      EXPECT_EQ(index.settings().pq.keeps_vectors, settings.pq.keeps_vectors);
      EXPECT_EQ(index.settings().index, settings.index);
      EXPECT_EQ(codes_of(index).rows(), rows);
      EXPECT_EQ(codes_of(index).lists(), std::max<std::size_t>(lists, 1));
      const std::vector<float> query = test::draw(random, dimension, 1);
      const auto searcher = search_on_cpu(codes_of(index), 2);
      const std::size_t probes = codes_of(index).lists();
      EXPECT_EQ(reference::answers_to(searcher->nearest(query, rows, {.probes = probes}), 0),
                reference::rank_bytes(codes_of(index), query, probes, nullptr));
      if (!settings.pq.keeps_vectors) {
        EXPECT_THROW(searcher->nearest(query, 1, {.probes = 1, .refine = 1}), UsageError);
        continue;
      }
      const Neighbors refined = searcher->nearest(query, rows, {.probes = probes, .refine = rows});
      EXPECT_EQ(refined.rows, FlatSearcher(index.flat(), 1).nearest(query, rows).rows);
    }
  }
}

TEST(Sq8Index, AnswersAreThoseOfCodesReadOneByOne) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : kSq8Metrics) {
    for (const std::size_t lists : {0, 9}) {
      const std::size_t dimension = 20 + random() % 60;
      std::vector<float> rows = test::draw(random, 1500 * dimension, 0.5F, 2);
      // Some of them twice: ties.
      for (std::size_t i = 0; i < 100 * dimension; ++i) rows[i] = rows[200 * dimension + i];
      const VectorIndex index =
          build_sq8(folder / "index", sq8_settings(metric, dimension, lists), rows);
      const Lists<Sq8Coding>& vectors = codes_of(index);
      const RowFilter filter = [&] {
        RowFilter drawn(1500);
        for (std::size_t row = 0; row < 1500; row += 1 + random() % 4) drawn.add(row);
        return drawn;
      }();
      const std::vector<float> queries = test::draw(random, 6 * dimension, 0.5F, 2);
      for (const std::size_t probes : {std::size_t{1}, (lists + 2) / 2, std::max(lists, 1UL)}) {
        for (const RowFilter* allowed : {static_cast<const RowFilter*>(nullptr), &filter}) {
          const SearchOptions depth{.filter = allowed, .probes = probes};
          const auto searcher = search_on_cpu(vectors, 1 + random() % 3);
          const Neighbors found = searcher->nearest(queries, 40, depth);
          for (std::size_t q = 0; q < 6; ++q) {
            const std::vector<float> query = query_of(queries, dimension, q);
            std::vector<reference::Answer> all =
                reference::rank_bytes(vectors, query, probes, allowed);
            const float radius = all[all.size() / 2].distance;
            const auto is_near = [&](const reference::Answer& one) {
              return metric == Metric::kL2 ? one.distance <= radius : one.distance >= radius;
            };
            EXPECT_EQ(searcher->within(query, radius, depth).rows.size(),
                      std::count_if(all.begin(), all.end(), is_near));
            all.resize(std::min<std::size_t>(40, all.size()));
            ASSERT_EQ(reference::answers_to(found, q), all)
                << metric_name(metric) << ", " << lists << " lists, probes " << probes;
          }
        }
      }
    }
  }
}

/// A component is off by half a step at most, and a distance by what rounding the query adds: half
/// a step of the query for each component of what the code stands for.
TEST(Sq8Index, DistancesAreThoseOfDecodedVectors) {
  auto random = test::generator(3);
  const test::TemporaryFolder folder(test::place_in_memory());
  constexpr std::size_t kRows = 700;
  constexpr std::size_t kDimension = 37;
  for (const Metric metric : kSq8Metrics) {
    for (const std::size_t lists : {0, 8}) {
      const VectorIndex index = build_sq8(folder / "index", sq8_settings(metric, kDimension, lists),
                                          test::draw(random, kRows * kDimension, 1, 2));
      const Lists<Sq8Coding>& vectors = codes_of(index);
      const ReconstructedRows decoded(index);
      const StoredRows stored(index);
      std::vector<float> query = test::draw(random, kDimension, 1, 2);
      const Neighbors found = search_on_cpu(vectors)->nearest(
          query, kRows, {.probes = std::max<std::size_t>(lists, 1)});
      if (metric == Metric::kCosine) normalize(query);
      const double step = reference::plain_bytes(vectors, query).step;
      const double sign = metric == Metric::kL2 ? 2 : 1;
      for (std::size_t list = 0; list < vectors.lists(); ++list) {
        const float half_step = vectors.quantizer.scales[list].scale * 0.501F;
        std::vector<float> centroid(kDimension);
        copy_row(vectors.centroids.vectors, list, centroid.data());
        for (std::size_t p = vectors.begins[list]; p < vectors.begins[list + 1]; ++p) {
          const std::size_t row = vectors.row_numbers[p];
          std::vector<float> own(kDimension);
          std::vector<float> of_code(kDimension);
          stored.copy(row, own.data());
          decoded.copy(row, of_code.data());
          double expected = 0;
          double allowed = 1e-3;
          for (std::size_t c = 0; c < kDimension; ++c) {
            EXPECT_NEAR(of_code[c], own[c], half_step + 1e-5);
            const double x = of_code[c];
            expected += metric == Metric::kL2 ? (query[c] - x) * (query[c] - x) : query[c] * x;
            allowed += sign * 0.5 * step * std::abs(x - double{centroid[c]});
          }
          const auto at = std::find(found.rows.begin(), found.rows.end(), row);
          ASSERT_NE(at, found.rows.end());
          ASSERT_NEAR(found.distances[static_cast<std::size_t>(at - found.rows.begin())], expected,
                      allowed)
              << metric_name(metric) << ", row " << row;
        }
      }
    }
  }
}

/// Lists of a few vectors take the scale of all, so that vectors that are added lose as little.
TEST(Sq8Index, ScalesHoldAllComponents) {
  auto random = test::generator(4);
  const test::TemporaryFolder folder(test::place_in_memory());
  std::vector<float> rows = test::draw(random, 300 * 4, 0, 0.5F);
  for (std::size_t c = 0; c < 4; ++c) rows.push_back(500);  // a list of its own
  const VectorIndex index = build_sq8(folder / "index", sq8_settings(Metric::kL2, 4, 2), rows);
  const Lists<Sq8Coding>& vectors = codes_of(index);
  std::size_t seen = 0;
  for (std::size_t list = 0; list < 2; ++list) {
    if (vectors.begins[list + 1] - vectors.begins[list] != 1) continue;
    EXPECT_GT(vectors.quantizer.scales[list].scale, 1.0F / 255);
    ++seen;
  }
  EXPECT_EQ(seen, 1U);
  // All components equal: no step at all.
  const VectorIndex equal =
      build_sq8(folder / "equal", sq8_settings(Metric::kL2, 4, 0), std::vector<float>(40 * 4, 7));
  EXPECT_THAT(verify_vectors(folder / "equal").problems, testing::IsEmpty());
  const Neighbors found =
      search_on_cpu(codes_of(equal))->nearest(std::vector<float>(4, 8), 3, {.probes = 1});
  EXPECT_EQ(found.rows, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(found.distances, (std::vector<float>{4, 4, 4}));
}

TEST(Sq8Index, VerifyFindsCodesOfOtherVectorsAndBadArgumentsAreTold) {
  auto random = test::generator(5);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t lists : {0, 4}) {
    const VectorIndexSettings settings = sq8_settings(Metric::kL2, 12, lists);
    const std::vector<float> rows = test::draw(random, 300 * 12);
    const VectorIndex index = build_sq8(folder / "index", settings, rows);
    const auto searcher = search_on_cpu(codes_of(index));
    const std::vector<float> query = test::draw(random, 12);
    EXPECT_THROW(searcher->nearest(query, 1, {.probes = 0}), UsageError);
    EXPECT_THROW(searcher->nearest(query, 1, {.probes = 5}), UsageError);
    EXPECT_THROW(searcher->nearest(query, 0, {.probes = 1}), UsageError);
    EXPECT_THROW(VectorIndexWriter(folder / "none", settings).commit(), UsageError);
    std::vector<float> others = rows;
    for (std::size_t i = 0; i < 12; ++i) others[7 * 12 + i] = -others[7 * 12 + i];
    build_sq8(folder / "other", settings, others);
    for (const char* section : {"vectors", "byte_scales", "terms", "codes"}) {
      const auto own = folder / "index" / "segment-0" / section;
      const std::string before = test::read_file(own);
      std::filesystem::copy_file(folder / "other" / "segment-0" / section, own,
                                 std::filesystem::copy_options::overwrite_existing);
      EXPECT_FALSE(verify_vectors(folder / "index").ok()) << section;
      test::write_file(own, before);
      EXPECT_TRUE(verify_vectors(folder / "index").ok()) << section;
    }
  }
}

/// Groups of the one list are shared out.
TEST(Sq8Index, ThreadsSearchOneList) {
  auto random = test::generator(8);
  const test::TemporaryFolder folder(test::place_in_memory());
  constexpr std::size_t kRows = 50'001;
  const VectorIndex index = build_sq8(folder / "index", sq8_settings(Metric::kL2, 3, 0),
                                      test::draw(random, kRows * 3, 0, 100));
  const std::vector<float> queries = test::draw(random, 2 * 3, 0, 100);
  const auto threads = search_on_cpu(codes_of(index), 3);
  const Neighbors found = threads->nearest(queries, 500, {.probes = 1});
  for (std::size_t q = 0; q < 2; ++q) {
    const std::vector<float> query = query_of(queries, 3, q);
    std::vector<reference::Answer> all = reference::rank_bytes(codes_of(index), query, 1, nullptr);
    const RangeNeighbors near = threads->within(query, all[kRows / 2].distance, {.probes = 1});
    ASSERT_GT(near.rows.size(), kRows / 2);
    for (std::size_t i = 0; i < near.rows.size(); ++i) {
      ASSERT_EQ(static_cast<std::size_t>(near.rows[i]), all[i].row) << i;
    }
    all.resize(500);
    ASSERT_EQ(reference::answers_to(found, q), all);
  }
}

TEST(Sq8Index, ThreadsDoNotChangeAByte) {
  auto random = test::generator(6);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 3000 * 8);
  VectorIndexSettings settings = sq8_settings(Metric::kL2, 8, 11);
  settings.ivf.threads = 1;
  const VectorIndex one = build_sq8(folder / "one", settings, rows);
  settings.ivf.threads = 3;
  build_sq8(folder / "three", settings, rows);
  for (const SectionInfo& section : one.section_infos()) {
    EXPECT_EQ(test::read_file(folder / "one" / "segment-0" / section.name),
              test::read_file(folder / "three" / "segment-0" / section.name))
        << section.name;
  }
}

/// Nearly all of the nearest, by codes alone.
TEST(Sq8IndexReal, DescriptorsAreFoundAgain) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const test::TemporaryFolder folder(test::place_in_memory());
  const auto read = [](const char* name) {
    return read_float_matrix((test::data_folder() / "vectors" / name).string());
  };
  const Matrix<float> base = read("wallpaper_sift_10k_base.bvecs");
  const Matrix<float> queries = read("wallpaper_sift_10k_query.bvecs");
  for (const std::size_t lists : {0, 100}) {
    const VectorIndex index =
        build_sq8(folder / "index", sq8_settings(Metric::kL2, base.columns, lists), base.values);
    const Neighbors exact = FlatSearcher(index.flat()).nearest(queries.values, 10);
    const Neighbors found =
        search_on_cpu(codes_of(index))
            ->nearest(queries.values, 10, {.probes = std::max<std::size_t>(lists, 1)});
    std::size_t hits = 0;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      const auto begin = exact.rows.begin() + static_cast<std::ptrdiff_t>(i / 10 * 10);
      hits += static_cast<std::size_t>(std::count(begin, begin + 10, found.rows[i]));
    }
    EXPECT_GT(static_cast<double>(hits), 0.96 * static_cast<double>(found.rows.size())) << lists;
  }
}

TEST(ByteKernels, FormsGiveTheSameNumbers) {
  auto random = test::generator(7);
  for (const std::size_t bytes : {1, 4, 5, 15, 16, 17, 28, 64, 129, 4096}) {
    const CodeGroups layout{bytes};
    std::vector<std::vector<int>> plain(64, std::vector<int>(bytes));
    std::vector<std::uint8_t> codes(2 * layout.group_bytes());
    std::vector<std::int8_t> query((bytes + 15) / 16 * 16);
    const bool is_extreme = bytes == 4096;
    for (std::size_t b = 0; b < bytes; ++b) {
      query[b] =
          static_cast<std::int8_t>(is_extreme ? -127 : static_cast<int>(random() % 255) - 127);
    }
    for (std::size_t v = 0; v < 64; ++v) {
      std::vector<std::uint8_t> code(bytes);
      for (std::size_t b = 0; b < bytes; ++b) {
        plain[v][b] = is_extreme ? -128 : static_cast<int>(random() % 256) - 128;
        code[b] = static_cast<std::uint8_t>(plain[v][b]);
      }
      layout.write(code.data(), v % 32, codes.data() + v / 32 * layout.group_bytes());
    }
    std::vector<std::int32_t> expected;
    for (const std::vector<int>& code : plain) {
      std::int64_t sum = 0;
      for (std::size_t b = 0; b < bytes; ++b) sum += code[b] * query[b];
      expected.push_back(static_cast<std::int32_t>(sum));
    }
    std::vector<std::int32_t> found(64);
    byte_products_baseline(codes.data(), 2, layout, query.data(), found.data());
    EXPECT_EQ(found, expected) << bytes;
#if defined(__x86_64__)
    if (isa() == Isa::kBaseline) continue;
    std::fill(found.begin(), found.end(), 0);
    byte_products_avx2(codes.data(), 2, layout, query.data(), found.data());
    EXPECT_EQ(found, expected) << bytes;
#endif
  }
}

}  // namespace
}  // namespace warpdex::vector
