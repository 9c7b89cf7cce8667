// Vectors out of codes, against the distances of searches and the bounds of quantisers.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/index_searcher.hpp"
#include "warpdex/vector/search/reconstructed_rows.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMadeDimension = 37;  // no multiple of 32, nor of the number of runs
constexpr std::size_t kMadeRows = 300;

std::vector<float> draw_rows(std::size_t rows, std::uint64_t stream) {
  std::mt19937_64 random = test::generator(stream);
  std::normal_distribution<float> normal(0.5F, 2);
  std::vector<float> values(rows * kMadeDimension);
  for (float& value : values) value = normal(random);
  return values;
}

VectorIndexSettings settings_of(VectorKind kind, Metric metric) {
  VectorIndexSettings settings;
  settings.metric = metric;
  settings.dimension = kMadeDimension;
  settings.index = kind;
  settings.ivf.lists = 7;
  settings.pq.bytes = 8;
  return settings;
}

/// An index of two segments, of which the second has no rows of its training.
VectorIndex make_index(const std::filesystem::path& folder, const VectorIndexSettings& settings) {
  const std::vector<float> rows = draw_rows(kMadeRows + 50, 1);
  VectorIndexWriter writer(folder, settings);
  writer.add(std::span(rows).first(kMadeRows * kMadeDimension));
  writer.commit();
  VectorIndexChange change(folder);
  change.add(std::span(rows).subspan(kMadeRows * kMadeDimension));
  change.commit();
  return VectorIndex::open(folder);
}

std::vector<double> reconstruct(const ReconstructedRows& rows, std::size_t row) {
  std::vector<float> vector(kMadeDimension);
  rows.copy(row, vector.data());
  return {vector.begin(), vector.end()};
}

double value_of(Metric metric, std::span<const float> query, const std::vector<double>& vector) {
  double product = 0;
  double squares = 0;
  double length = 0;
  for (std::size_t c = 0; c < kMadeDimension; ++c) {
    product += query[c] * vector[c];
    squares += (query[c] - vector[c]) * (query[c] - vector[c]);
    length += double{query[c]} * query[c];
  }
  if (metric == Metric::kL2) return squares;
  return metric == Metric::kCosine ? product / std::sqrt(length) : product;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

/// Distances by codes are those from what the codes stand for.
void expect_distances(const VectorIndexSettings& settings) {
  const test::TemporaryFolder folder;
  const VectorIndex index = make_index(folder / "index", settings);
  const ReconstructedRows rows(index);
  EXPECT_EQ(rows.dimension(), kMadeDimension);
  const std::vector<float> query = draw_rows(1, 2);
  const Neighbors found =
      search_index_on_cpu(index)->nearest(query, index.rows(), {.probes = settings.ivf.lists});
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const double expected = value_of(settings.metric, query,
                                     reconstruct(rows, static_cast<std::size_t>(found.rows[i])));
    EXPECT_NEAR(found.distances[i], expected, 2e-4 * (1 + std::abs(expected)))
        << "row " << found.rows[i];
  }
}

TEST(ReconstructedRows, OfProductCodesHaveTheDistancesThatSearchesTell) {
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const std::size_t bits : {8, 4}) {
      for (const std::size_t rotated : {0, 37, 13}) {
        VectorIndexSettings settings = settings_of(vector_kind("ivf-pq"), metric);
        settings.pq.bits = bits;
        settings.pq.bytes = bits == 8 ? 8 : 5;
        settings.pq.rotated_dimension = rotated;
        settings.pq.keeps_vectors = rotated > 0;
        SCOPED_TRACE(testing::Message() << metric_name(metric) << " " << bits << " " << rotated);
        expect_distances(settings);
      }
    }
  }
}

TEST(ReconstructedRows, OfBinaryCodesLieWithinACell) {
  for (const std::size_t bits : {1, 3, 8}) {
    for (const bool is_rotated : {false, true}) {
      VectorIndexSettings settings = settings_of(vector_kind("xfbq"), Metric::kL2);
      settings.binary.bits = bits;
      settings.binary.is_rotated = is_rotated;
      settings.binary.clip = 0;
      SCOPED_TRACE(testing::Message() << bits << " bits, rotated: " << is_rotated);
      const test::TemporaryFolder folder;
      const VectorIndex index = make_index(folder / "index", settings);
      const auto& codes = std::get<BinaryVectors>(index.segments().front().vectors);
      const ReconstructedRows rows(index);
      const StoredRows stored(index);
      // Nothing of the rows that the scale is from is outside of the range.
      const double half_cell = codes.quantizer.scale / static_cast<double>(1U << bits);
      for (std::size_t row = 0; row < kMadeRows; ++row) {
        std::vector<float> vector(kMadeDimension);
        stored.copy(row, vector.data());
        EXPECT_LE(distance(reconstruct(rows, row), {vector.begin(), vector.end()}),
                  half_cell * std::sqrt(kMadeDimension) * 1.0001);
      }
    }
  }
}

TEST(ReconstructedRows, OfCorrectedCodesAreAsFarAsTheirResiduals) {
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    VectorIndexSettings settings = settings_of(vector_kind("xfbq"), metric);
    settings.binary.is_rotated = true;
    settings.binary.is_corrected = true;
    const test::TemporaryFolder folder;
    const VectorIndex index = make_index(folder / "index", settings);
    const ReconstructedRows rows(index);
    const StoredRows stored(index);
    for (const VectorSegment& segment : index.segments()) {
      const auto& codes = std::get<BinaryVectors>(segment.vectors);
      for (std::size_t place = 0; place < segment.rows; ++place) {
        const std::size_t row = segment.row(place);
        std::vector<float> vector(kMadeDimension);
        stored.copy(row, vector.data());
        EXPECT_NEAR(distance(reconstruct(rows, row), {vector.begin(), vector.end()}),
                    codes.residuals[place], 1e-3);
      }
    }
  }
}

TEST(ReconstructedRows, SayWhatTheyCannotDo) {
  const test::TemporaryFolder folder;
  const VectorIndex flat =
      make_index(folder / "flat", settings_of(vector_kind("flat"), Metric::kL2));
  EXPECT_THROW(ReconstructedRows{flat}, UsageError);
  const VectorIndex codes =
      make_index(folder / "codes", settings_of(vector_kind("ivf-pq"), Metric::kL2));
  std::vector<float> vector(kMadeDimension);
  EXPECT_THROW(ReconstructedRows(codes).copy(kMadeRows + 50, vector.data()), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
