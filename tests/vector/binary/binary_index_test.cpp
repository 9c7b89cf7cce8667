// Tests of the index of binary codes as it is built and stored: tiny and odd sizes, the same bytes
// for any number of threads, damage, and what is not kept.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/binary/plain_binary.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

VectorIndex build(const std::filesystem::path& target, const VectorIndexSettings& settings,
                  std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

VectorIndexSettings settings_of(std::size_t dimension, const BinarySettings& binary) {
  return {.dimension = dimension, .index = vector_kind("xfbq"), .binary = binary};
}

TEST(BinaryIndex, TinyAndOddSizesAreBuiltVerifiedAndSearched) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t rows : {1, 2, 31, 33, 600}) {
    for (const std::size_t dimension : {1, 31, 33}) {
      for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
        for (const bool keeps_vectors : {true, false}) {
          VectorIndexSettings settings =
              settings_of(dimension, {.bits = 1 + random() % 8,
                                      .is_rotated = random() % 2 == 0,
                                      .is_corrected = random() % 2 == 0});
          settings.metric = metric;
          settings.store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
          settings.pq.keeps_vectors = keeps_vectors;
          const VectorIndex index =
              build(folder / "index", settings, test::draw(random, rows * dimension, 1));
          ASSERT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
          EXPECT_EQ(index.settings().pq.keeps_vectors, keeps_vectors);
          EXPECT_EQ(index.settings().binary.bits, settings.binary.bits);
          EXPECT_EQ(index.settings().binary.is_rotated, settings.binary.is_rotated);
          EXPECT_EQ(index.settings().binary.is_corrected, settings.binary.is_corrected);
          EXPECT_EQ(std::get<BinaryVectors>(index.searched()).rows, rows);
          const std::vector<float> query = test::draw(random, dimension, 1);
          const auto searcher = search_on_cpu(std::get<BinaryVectors>(index.searched()), 2);
          if (!keeps_vectors) {
            EXPECT_THROW(searcher->nearest(query, 1, {.refine = 1}), UsageError);
            EXPECT_THROW(index.flat(), UsageError);
            continue;
          }
          const Neighbors refined = searcher->nearest(query, rows, {.refine = rows});
          EXPECT_EQ(refined.rows, FlatSearcher(index.flat(), 1).nearest(query, rows).rows);
        }
      }
    }
  }
}

/// The stored cells are those that the words of the format give, by the centre, the rotation and
/// the scale that are stored.
TEST(BinaryIndex, CodesAreThoseOfTheVectors) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const bool is_rotated : {false, true}) {
    for (const std::size_t bits : {1, 3, 4, 8}) {
      constexpr std::size_t kDimension = 45;
      constexpr std::size_t kRows = 300;
      const std::vector<float> rows = test::draw(random, kRows * kDimension, 5, 2);
      const VectorIndex index =
          build(folder / "index",
                settings_of(kDimension, {.bits = bits, .is_rotated = is_rotated, .seed = 3}), rows);
      const BinaryVectors& codes = std::get<BinaryVectors>(index.searched());
      EXPECT_EQ(codes.codes.size(), 10 * 32 * bits * 8);
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * kDimension);
        const std::vector<float> rotated =
            reference::plain_rotated(codes.quantizer, {begin, begin + kDimension}, 1);
        const std::vector<int> cells = reference::stored_cells(codes, row);
        double length = 0;
        for (std::size_t c = 0; c < kDimension; ++c) {
          ASSERT_EQ(cells[c], reference::plain_cell(rotated[c], codes.quantizer.scale,
                                                    static_cast<int>(bits)))
              << "row " << row << ", component " << c;
          length += std::pow(double{rotated[c]}, 2);
        }
        ASSERT_NEAR(codes.terms[row], length, 1e-3 * length);
      }
    }
  }
}

/// A correction is that of the words of the format, and no cell of its neighbours points better.
TEST(BinaryIndex, CorrectionsMakeProductsRight) {
  auto random = test::generator(5);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t bits : {1, 4, 7}) {
    constexpr std::size_t kDimension = 45;
    constexpr std::size_t kRows = 300;
    const std::vector<float> rows = test::draw(random, kRows * kDimension, 5, 2);
    const VectorIndex index = build(
        folder / "index",
        settings_of(kDimension, {.bits = bits, .is_rotated = true, .is_corrected = true}), rows);
    const BinaryVectors& codes = std::get<BinaryVectors>(index.searched());
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * kDimension);
      const std::vector<float> rotated =
          reference::plain_rotated(codes.quantizer, {begin, begin + kDimension}, true);
      std::vector<double> numbers;
      for (const int cell : reference::stored_cells(codes, row)) {
        numbers.push_back(2 * cell + 1 - (1 << bits));
      }
      double squared = 0;
      double product = 0;
      double squares = 0;
      for (std::size_t c = 0; c < kDimension; ++c) {
        squared += std::pow(double{rotated[c]}, 2);
        product += numbers[c] * rotated[c];
        squares += numbers[c] * numbers[c];
      }
      ASSERT_NEAR(codes.factors[row] * product, squared, 1e-5 * squared);
      double left = 0;
      for (std::size_t c = 0; c < kDimension; ++c) {
        left += std::pow(rotated[c] - codes.factors[row] * numbers[c], 2);
        for (const double step : {-2.0, 2.0}) {
          if (std::abs(numbers[c] + step) > (1 << bits) - 1) continue;
          const double other = product + step * rotated[c];
          const double all = squares + step * (2 * numbers[c] + step);
          ASSERT_LE(other * other / all, product * product / squares * (1 + 1e-9));
        }
      }
      ASSERT_NEAR(codes.residuals[row], std::sqrt(left), 1e-5 * std::sqrt(squared));
      ASSERT_GE(codes.residuals[row], std::sqrt(left));
    }
  }
}

TEST(BinaryIndex, ThreadsDoNotChangeAByteAndSeedsDo) {
  auto random = test::generator(3);
  const test::TemporaryFolder folder(test::place_in_memory());
  // More than one block of rows that are encoded together.
  const std::vector<float> rows = test::draw(random, std::size_t{70'000} * 5, 1);
  BinarySettings binary{.bits = 3, .is_rotated = true, .threads = 1};
  const VectorIndex one = build(folder / "one", settings_of(5, binary), rows);
  binary.threads = 3;
  build(folder / "three", settings_of(5, binary), rows);
  for (const SectionInfo& section : one.section_infos()) {
    EXPECT_EQ(test::read_file(folder / "one" / "segment-0" / section.name),
              test::read_file(folder / "three" / "segment-0" / section.name))
        << section.name;
  }
  EXPECT_THAT(verify_vectors(folder / "one").problems, testing::IsEmpty());
  binary.seed = 2;
  build(folder / "other", settings_of(5, binary), rows);
  EXPECT_NE(test::read_file(folder / "one" / "segment-0" / "codes"),
            test::read_file(folder / "other" / "segment-0" / "codes"));
}

TEST(BinaryIndex, VerifyFindsCodesOfOtherVectors) {
  auto random = test::generator(4);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 40 * 6, 1);
  build(folder / "index", settings_of(6, {.bits = 3}), rows);
  build(folder / "other", settings_of(6, {.bits = 3}), test::draw(random, 40 * 6, 1));
  // A whole section of another index has the right size and another checksum.
  std::filesystem::copy_file(folder / "other" / "segment-0" / "codes",
                             folder / "index" / "segment-0" / "codes",
                             std::filesystem::copy_options::overwrite_existing);
  const VectorVerifyReport report = verify_vectors(folder / "index");
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.problems.front(), testing::HasSubstr("codes"));
}

/// The more bits, the more is found; of 4 bits, refining 100 finds nearly all.
TEST(BinaryIndex, RealDescriptorsAreFoundAgain) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const test::TemporaryFolder folder(test::place_in_memory());
  const Matrix<float> base =
      read_float_matrix(test::data_folder() / "vectors/wallpaper_sift_10k_base.bvecs");
  constexpr std::size_t kAsked = 100;
  const std::span<const float> queries = std::span(base.values).first(kAsked * base.columns);
  Neighbors exact;
  double before = 0.2;
  for (const std::size_t bits : {2, 4, 6}) {
    const VectorIndex index =
        build(folder / "index", settings_of(base.columns, {.bits = bits}), base.values);
    if (exact.k == 0) exact = FlatSearcher(index.flat()).nearest(queries, 10);
    const auto share_found = [&](std::size_t refine) {
      const Neighbors found = search_on_cpu(std::get<BinaryVectors>(index.searched()))
                                  ->nearest(queries, 10, {.refine = refine});
      double hits = 0;
      for (std::size_t q = 0; q < kAsked; ++q) {
        const auto begin = found.rows.begin() + static_cast<std::ptrdiff_t>(q * 10);
        for (std::size_t i = 0; i < 10; ++i) {
          hits += std::find(begin, begin + 10, exact.rows[q * 10 + i]) != begin + 10 ? 1 : 0;
        }
      }
      return hits / (kAsked * 10);
    };
    const double by_codes = share_found(0);
    EXPECT_GT(by_codes, before) << bits << " bits";
    EXPECT_GT(share_found(100), bits == 2 ? 0.9 : 0.99) << bits << " bits";
    before = by_codes;
  }
}

}  // namespace
}  // namespace warpdex::vector
