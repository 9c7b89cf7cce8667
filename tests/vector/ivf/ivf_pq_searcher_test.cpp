// Tests of the search by codes, against a plain scan in double precision of the same codes, which a
// layout written apart puts into groups.
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

std::vector<float> draw(std::mt19937_64& random, std::size_t count, float mean = 0) {
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

struct Shape {
  Metric metric;
  std::size_t dimension;
  std::size_t bytes;
  std::size_t bits;
  bool is_rotated = false;
};

/// An inverted file that was never trained: centroids, codebooks and codes are random, so that all
/// that is left is the arithmetic.
class MadeIndex {
 public:
  MadeIndex(std::mt19937_64& random, const Shape& shape, const std::vector<std::size_t>& sizes)
      : shape_(shape), rows_(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0})) {
    const std::size_t words = std::size_t{1} << shape.bits;
    centroids_ = draw(random, sizes.size() * shape.dimension, 3);
    codebooks_ = draw(random, shape.dimension * words);
    if (shape.is_rotated) draw_rotation(random);
    if (shape.metric == Metric::kL2) centre_ = draw(random, shape.dimension, 3);
    vectors_ = draw(random, rows_ * shape.dimension, 3);
    const Metric coarse =
        shape.metric == Metric::kInnerProduct ? Metric::kInnerProduct : Metric::kL2;
    for (std::size_t list = 0; list < sizes.size(); ++list) {
      centroid_norms_.push_back(row_norm(
          coarse, std::span(centroids_).subspan(list * shape.dimension, shape.dimension), {}));
    }
    add_codes(random, sizes);
    view_.metric = shape.metric;
    view_.quantizer = {shape.dimension, shape.bytes, shape.bits, codebooks_, rotation_};
    view_.codes = groups_;
    view_.terms = terms_;
    view_.row_numbers = row_numbers_;
    view_.begins = begins_;
    view_.group_begins = group_begins_;
    view_.centre = centre_;
    view_.centroids = {
        coarse,
        {centroids_.data(), Store::kFloat, sizes.size(), shape.dimension, shape.dimension},
        {},
        centroid_norms_};
    view_.vectors.metric = shape.metric;
    view_.vectors.vectors = {vectors_.data(), Store::kFloat, rows_, shape.dimension,
                             shape.dimension};
  }

  const IvfPqVectors& view() const { return view_; }
  IvfPqVectors& view() { return view_; }
  std::size_t rows() const { return rows_; }

  /// The distance, larger where farther, of the vector at a position: of what its code stands for.
  double distance(std::span<const float> query, std::size_t position) const {
    const std::vector<double> decoded = decode(position);
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double q = query[c];
      sum += shape_.metric == Metric::kL2 ? (q - decoded[c]) * (q - decoded[c]) : -q * decoded[c];
    }
    return sum;
  }

  /// Of the vector itself.
  double exact(std::span<const float> query, std::size_t row) const {
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double q = query[c];
      const double x = vectors_[row * shape_.dimension + c];
      sum += shape_.metric == Metric::kL2 ? (q - x) * (q - x) : -q * x;
    }
    return sum;
  }

  /// The lists of a query, nearest first.
  std::vector<std::size_t> lists_of(std::span<const float> query) const {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t list = 0; list < view_.lists(); ++list) {
      double sum = 0;
      for (std::size_t c = 0; c < shape_.dimension; ++c) {
        const double q = query[c];
        const double m = centroids_[list * shape_.dimension + c];
        sum += shape_.metric == Metric::kInnerProduct ? -q * m : (q - m) * (q - m);
      }
      ranked.emplace_back(sum, list);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> lists;
    for (const auto& [value, list] : ranked) lists.push_back(list);
    return lists;
  }

 private:
  /// Gram and Schmidt's way to an orthogonal matrix.
  void draw_rotation(std::mt19937_64& random) {
    const std::size_t d = shape_.dimension;
    const std::vector<float> drawn = draw(random, d * d);
    std::vector<double> rows(drawn.begin(), drawn.end());
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::size_t c = 0; c < d; ++c) product += rows[i * d + c] * rows[j * d + c];
        const double factor = i == j ? 1 - 1 / std::sqrt(product) : product;
        for (std::size_t c = 0; c < d; ++c) rows[i * d + c] -= factor * rows[j * d + c];
      }
    }
    rotation_.assign(rows.begin(), rows.end());
  }

  void add_codes(std::mt19937_64& random, const std::vector<std::size_t>& sizes) {
    std::vector<std::uint32_t> rows(rows_);
    std::iota(rows.begin(), rows.end(), 0U);
    std::shuffle(rows.begin(), rows.end(), random);
    begins_.push_back(0);
    group_begins_.push_back(0);
    const std::size_t stored = (shape_.bytes + 3) / 4 * 4;
    for (std::size_t list = 0; list < sizes.size(); ++list) {
      const std::size_t first = begins_.back();
      std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
                rows.begin() + static_cast<std::ptrdiff_t>(first + sizes[list]));
      begins_.push_back(first + sizes[list]);
      const std::size_t groups = (sizes[list] + 31) / 32;
      groups_.resize((group_begins_.back() + groups) * 32 * stored, 0);
      for (std::size_t i = 0; i < sizes[list]; ++i) {
        std::vector<std::uint8_t> code(shape_.bytes);
        for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
        std::uint8_t* const group = groups_.data() + (group_begins_.back() + i / 32) * 32 * stored;
        for (std::size_t b = 0; b < shape_.bytes; ++b) {
          const std::size_t chunk = b / 16;
          const std::size_t width = (chunk + 1) * 16 <= stored ? 16 : stored % 16;
          group[chunk * 512 + i % 32 * width + b % 16] = code[b];
        }
        codes_.push_back(code);
        lists_.push_back(list);
        if (shape_.metric == Metric::kL2) terms_.push_back(term(codes_.size() - 1));
      }
      group_begins_.push_back(group_begins_.back() + groups);
    }
    row_numbers_ = rows;
  }

  /// The residual that a code stands for, rotated still.
  std::vector<double> residual(std::size_t position) const {
    const std::size_t words = std::size_t{1} << shape_.bits;
    const std::size_t parts = shape_.bytes * 8 / shape_.bits;
    std::vector<double> values(shape_.dimension);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<std::uint8_t>& code = codes_[position];
      const std::size_t word = shape_.bits == 8 ? code[part]
                               : part % 2 == 0  ? code[part / 2] % 16U
                                                : code[part / 2] / 16U;
      for (std::size_t c = part * shape_.dimension / parts;
           c < (part + 1) * shape_.dimension / parts; ++c) {
        values[c] = codebooks_[c * words + word];
      }
    }
    return values;
  }

  /// What a code stands for: the centroid and the residual, rotated back.
  std::vector<double> decode(std::size_t position) const {
    const std::size_t d = shape_.dimension;
    const std::vector<double> rotated = residual(position);
    std::vector<double> values(d);
    for (std::size_t c = 0; c < d; ++c) {
      values[c] = centroids_[lists_[position] * d + c];
      if (!shape_.is_rotated) values[c] += rotated[c];
      for (std::size_t row = 0; shape_.is_rotated && row < d; ++row) {
        values[c] += double{rotation_[row * d + c]} * rotated[row];
      }
    }
    return values;
  }

  /// |y|^2 + 2 y·(centroid - centre), in the space that is not rotated.
  float term(std::size_t position) const {
    const std::vector<double> decoded = decode(position);
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double centroid = centroids_[lists_[position] * shape_.dimension + c];
      const double y = decoded[c] - centroid;
      sum += y * (y + 2 * (centroid - double{centre_[c]}));
    }
    return static_cast<float>(sum);
  }

  Shape shape_;
  std::size_t rows_;
  std::vector<float> centroids_, centroid_norms_, codebooks_, rotation_, centre_, vectors_, terms_;
  std::vector<std::vector<std::uint8_t>> codes_;
  std::vector<std::size_t> lists_;
  std::vector<std::uint8_t> groups_;
  std::vector<std::uint32_t> row_numbers_;
  std::vector<std::uint64_t> begins_, group_begins_;
  IvfPqVectors view_;
};

using Ranked = std::vector<std::pair<double, std::size_t>>;  // distance, row

/// All rows that a query should be compared with, nearest first.
Ranked scan_plainly(const MadeIndex& index, std::span<const float> query, std::size_t probes,
                    const RowFilter* filter) {
  std::vector<std::size_t> lists = index.lists_of(query);
  lists.resize(probes);
  Ranked ranked;
  for (const std::size_t list : lists) {
    for (std::size_t p = index.view().begins[list]; p < index.view().begins[list + 1]; ++p) {
      const std::uint32_t row = index.view().row_numbers[p];
      if (filter == nullptr || filter->contains(row)) {
        ranked.emplace_back(index.distance(query, p), row);
      }
    }
  }
  std::sort(ranked.begin(), ranked.end());
  return ranked;
}

/// Checks the answers of one query: those of `expected`, but for ties.
void expect_near(Metric metric, std::span<const std::int32_t> rows,
                 std::span<const float> distances, const Ranked& expected, double tolerance) {
  const double sign = larger_is_nearer(metric) ? -1 : 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= expected.size()) {
      EXPECT_EQ(rows[i], -1);
      continue;
    }
    const auto found = std::find_if(expected.begin(), expected.end(), [&](const auto& one) {
      return static_cast<std::int32_t>(one.second) == rows[i];
    });
    ASSERT_NE(found, expected.end()) << "row " << rows[i] << " at place " << i;
    EXPECT_NEAR(sign * distances[i], found->first, tolerance);
    EXPECT_NEAR(sign * distances[i], expected[i].first, tolerance);
    if (i == 0) continue;
    EXPECT_TRUE(sign * distances[i - 1] < sign * distances[i] ||
                (distances[i - 1] == distances[i] && rows[i - 1] < rows[i]));
  }
}

const std::vector<std::size_t> kSizes{0, 1, 31, 32, 33, 64, 0, 100, 5};

class IvfPqSearcherForms : public testing::TestWithParam<Metric> {};

TEST_P(IvfPqSearcherForms, AnswersAsAPlainScanOfTheSameCodes) {
  const Metric metric = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric));
  const std::vector<Shape> shapes{
      {metric, 1, 1, 8},        {metric, 1, 1, 4},         {metric, 7, 7, 8},
      {metric, 20, 3, 8, true}, {metric, 40, 15, 4},       {metric, 40, 16, 8, true},
      {metric, 40, 17, 8},      {metric, 40, 20, 4, true}, {metric, 128, 32, 8},
      {metric, 128, 33, 8},     {metric, 100, 96, 8},      {metric, 130, 49, 4}};
  for (const Shape& shape : shapes) {
    const MadeIndex index(random, shape, kSizes);
    RowFilter filter(index.rows());
    for (std::size_t row = 0; row < index.rows(); row += 1 + random() % 40) filter.add(row);
    const double tolerance = 1e-5 * static_cast<double>(shape.dimension) * 20;
    for (const std::size_t count : {1, 9}) {
      std::vector<float> queries = draw(random, count * shape.dimension, 3);
      if (metric == Metric::kCosine) {
        for (std::size_t q = 0; q < count; ++q) {
          normalize(std::span(queries).subspan(q * shape.dimension, shape.dimension));
        }
      }
      for (const std::size_t probes : {std::size_t{1}, std::size_t{4}, kSizes.size()}) {
        for (const RowFilter* const allowed :
             {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
          const IvfPqSearcher searcher(index.view(), 1 + count % 3);
          const std::size_t k = 1 + random() % index.rows();
          const Neighbors found = searcher.nearest(queries, k, probes, 0, allowed);
          for (std::size_t q = 0; q < count; ++q) {
            SCOPED_TRACE(testing::Message()
                         << shape.dimension << " components, " << shape.bytes << " bytes of "
                         << shape.bits << " bits, " << probes << " probes, k " << k);
            const std::span<const float> query =
                std::span(queries).subspan(q * shape.dimension, shape.dimension);
            const Ranked expected = scan_plainly(index, query, probes, allowed);
            expect_near(metric, std::span(found.rows).subspan(q * k, k),
                        std::span(found.distances).subspan(q * k, k), expected, tolerance);
            if (expected.empty()) continue;
            // Half way between two neighbours, so that rounding does not count.
            const std::size_t last = random() % expected.size();
            const double next =
                last + 1 < expected.size() ? expected[last + 1].first : expected[last].first + 1;
            const double middle = (expected[last].first + next) / 2;
            if (next - expected[last].first < 2 * tolerance) continue;
            const RangeNeighbors range = searcher.within(
                query, static_cast<float>(larger_is_nearer(metric) ? -middle : middle), probes,
                allowed);
            ASSERT_EQ(range.rows.size(), last + 1);
            expect_near(metric, range.rows, range.distances, expected, tolerance);
          }
        }
      }
    }
  }
}

TEST_P(IvfPqSearcherForms, RefiningRanksTheBestByTheirVectors) {
  const Metric metric = GetParam();
  auto random = test::generator(10 + static_cast<std::uint64_t>(metric));
  const Shape shape{metric, 33, 8, 8};
  const MadeIndex index(random, shape, kSizes);
  const IvfPqSearcher searcher(index.view(), 2);
  std::vector<float> query = draw(random, shape.dimension, 3);
  if (metric == Metric::kCosine) normalize(query);
  for (const auto& [k, refine] : {std::pair{1, 1}, {5, 40}, {10, 3}, {7, 266}, {266, 266}}) {
    const std::size_t candidates = static_cast<std::size_t>(std::max(k, refine));
    const Neighbors by_codes = searcher.nearest(query, candidates, kSizes.size());
    Ranked expected;
    for (const std::int32_t row : by_codes.rows) {
      expected.emplace_back(index.exact(query, static_cast<std::size_t>(row)), row);
    }
    std::sort(expected.begin(), expected.end());
    const Neighbors found = searcher.nearest(query, static_cast<std::size_t>(k), kSizes.size(),
                                             static_cast<std::size_t>(refine));
    expect_near(metric, found.rows, found.distances, expected, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, IvfPqSearcherForms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

TEST(IvfPqSearcher, ThreadsAndBatchesDoNotChangeAnswers) {
  auto random = test::generator(20);
  // Long lists, so that one query's are shared out.
  const MadeIndex index(random, {Metric::kL2, 8, 2, 8}, {30'000, 1, 20'000, 0, 33, 15'000, 25'000});
  const std::vector<float> queries = draw(random, std::size_t{25} * 8, 3);
  const Neighbors one = IvfPqSearcher(index.view(), 1).nearest(queries, 300, 6, 500);
  const Neighbors more = IvfPqSearcher(index.view(), 3).nearest(queries, 300, 6, 500);
  EXPECT_EQ(one.rows, more.rows);
  EXPECT_EQ(one.distances, more.distances);
  const RangeNeighbors range = IvfPqSearcher(index.view(), 1).within(queries, 10, 6);
  EXPECT_GT(range.rows.size(), 100U);
  for (std::size_t q = 0; q < 25; ++q) {
    const std::span<const float> query = std::span(queries).subspan(q * 8, 8);
    const IvfPqSearcher searcher(index.view(), 4);
    const Neighbors alone = searcher.nearest(query, 300, 6, 500);
    EXPECT_TRUE(std::equal(alone.rows.begin(), alone.rows.end(),
                           one.rows.begin() + static_cast<std::ptrdiff_t>(q * 300)));
    const RangeNeighbors near = searcher.within(query, 10, 6);
    EXPECT_EQ(near.rows.size(), range.offsets[q + 1] - range.offsets[q]);
    EXPECT_TRUE(std::equal(near.rows.begin(), near.rows.end(),
                           range.rows.begin() + static_cast<std::ptrdiff_t>(range.offsets[q])));
  }
}

TEST(IvfPqSearcher, RefusesWhatItCannotAnswer) {
  auto random = test::generator(21);
  MadeIndex index(random, {Metric::kL2, 3, 2, 8}, {4, 2});
  index.view().vectors = {};
  const IvfPqSearcher searcher(index.view(), 1);
  const std::vector<float> query{0, 1, 2};
  EXPECT_THROW(searcher.nearest(query, 1, 0), UsageError);
  EXPECT_THROW(searcher.nearest(query, 1, 3), UsageError);
  EXPECT_THROW(searcher.nearest(query, 0, 1), UsageError);
  EXPECT_THROW(searcher.nearest(query, 7, 1), UsageError);
  EXPECT_THROW(searcher.nearest(query, 1, 1, 5), UsageError) << "no vectors to refine by";
  EXPECT_THROW(searcher.nearest(std::vector<float>{1, 2}, 1, 1), UsageError);
  EXPECT_THROW(searcher.nearest(std::vector<float>{1, 2, std::nanf("")}, 1, 1), UsageError);
  EXPECT_THROW(searcher.within(query, std::nanf(""), 1), UsageError);
  const RowFilter other(5);
  EXPECT_THROW(searcher.nearest(query, 1, 1, 0, &other), UsageError);
  EXPECT_EQ(searcher.nearest({}, 1, 1).queries, 0U);
  EXPECT_EQ(searcher.nearest(query, 6, 2).rows.size(), 6U);
}

}  // namespace
}  // namespace warpdex::vector
