// Tests of the search by codes, against a plain scan in double precision of the same codes, which a
// layout written apart puts into groups.
#include "warpdex/vector/pq/pq_coding.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/lists/made_codes.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

using test::CodesShape;
using test::draw_values;
using test::MadeCodes;

using Ranked = std::vector<std::pair<double, std::size_t>>;  // distance, row

/// All rows that a query should be compared with, nearest first.
Ranked scan_plainly(const MadeCodes& index, std::span<const float> query, std::size_t probes,
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
  const std::vector<CodesShape> shapes{{metric, 1, 1, 8},
                                       {metric, 1, 1, 4},
                                       {metric, 7, 7, 8},
                                       {metric, 20, 3, 8, true},
                                       {metric, 40, 15, 4},
                                       {metric, 40, 16, 8, true},
                                       {metric, 40, 17, 8},
                                       {metric, 40, 20, 4, true},
                                       {metric, 128, 32, 8},
                                       {metric, 128, 33, 8},
                                       {metric, 100, 96, 8},
                                       {metric, 130, 49, 4},
                                       {metric, 40, 17, 8, false, true},
                                       {metric, 40, 20, 4, true, true},
                                       {metric, 40, 5, 8, true, false, 7},
                                       {metric, 40, 10, 4, true, false, 19},
                                       {metric, 130, 1, 8, true, false, 1}};
  for (const CodesShape& shape : shapes) {
    const MadeCodes index(random, shape, kSizes);
    RowFilter filter(index.rows());
    for (std::size_t row = 0; row < index.rows(); row += 1 + random() % 40) filter.add(row);
    const double tolerance = 1e-5 * static_cast<double>(shape.dimension) * 20;
    for (const std::size_t count : {1, 9}) {
      std::vector<float> queries = draw_values(random, count * shape.dimension, 3);
      if (metric == Metric::kCosine) {
        for (std::size_t q = 0; q < count; ++q) {
          normalize(std::span(queries).subspan(q * shape.dimension, shape.dimension));
        }
      }
      for (const std::size_t probes : {std::size_t{1}, std::size_t{4}, kSizes.size()}) {
        for (const RowFilter* const allowed :
             {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
          const auto searcher = search_on_cpu(index.view(), 1 + count % 3);
          const std::size_t k = 1 + random() % index.rows();
          const Neighbors found =
              searcher->nearest(queries, k, {.filter = allowed, .probes = probes});
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
            const RangeNeighbors range = searcher->within(
                query, static_cast<float>(larger_is_nearer(metric) ? -middle : middle),
                {.filter = allowed, .probes = probes});
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
  const CodesShape shape{metric, 33, 8, 8};
  const MadeCodes index(random, shape, kSizes);
  const auto searcher = search_on_cpu(index.view(), 2);
  std::vector<float> query = draw_values(random, shape.dimension, 3);
  if (metric == Metric::kCosine) normalize(query);
  for (const auto& [k, refine] : {std::pair{1, 1}, {5, 40}, {10, 3}, {7, 266}, {266, 266}}) {
    const std::size_t candidates = static_cast<std::size_t>(std::max(k, refine));
    const Neighbors by_codes = searcher->nearest(query, candidates, {.probes = kSizes.size()});
    Ranked expected;
    for (const std::int32_t row : by_codes.rows) {
      expected.emplace_back(index.exact(query, static_cast<std::size_t>(row)), row);
    }
    std::sort(expected.begin(), expected.end());
    const Neighbors found =
        searcher->nearest(query, static_cast<std::size_t>(k),
                          {.probes = kSizes.size(), .refine = static_cast<std::size_t>(refine)});
    expect_near(metric, found.rows, found.distances, expected, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, IvfPqSearcherForms,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

/// A distance as docs/vector.md has it, operation by operation.
float documented(const MadeCodes& index, std::span<const float> query, std::size_t position) {
  const Lists<PqCoding>& view = index.view();
  const ProductQuantizer& quantizer = view.quantizer;
  const bool is_l2 = view.metric == Metric::kL2;
  std::vector<float> moved(query.begin(), query.end());
  for (std::size_t c = 0; is_l2 && c < moved.size(); ++c) moved[c] -= view.centre[c];
  std::vector<float> rotated = moved;
  const std::size_t rows = quantizer.rotation.size() / moved.size();
  if (rows > 0) rotated.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    rotated[row] = reference::canonical(
        moved, quantizer.rotation.subspan(row * moved.size(), moved.size()), false);
  }
  const float base = reference::distance(view.metric, query, index.centroid(index.list(position)));
  float sum = is_l2 ? base + view.terms[position] : -base;
  for (std::size_t byte = 0; byte < quantizer.bytes; ++byte) {
    float entries[2] = {};
    for (std::size_t half = 0; half < 8 / quantizer.bits; ++half) {
      const std::size_t part = byte * 8 / quantizer.bits + half;
      const std::size_t word =
          index.code(position)[byte] >> (4 * half) & ((std::size_t{1} << quantizer.bits) - 1);
      for (std::size_t c = part * rotated.size() / quantizer.parts();
           c < (part + 1) * rotated.size() / quantizer.parts(); ++c) {
        entries[half] = std::fma((is_l2 ? -2.0F : -1.0F) * rotated[c],
                                 quantizer.codebooks[(c << quantizer.bits) + word], entries[half]);
      }
    }
    sum += entries[0] + entries[1];
  }
  if (is_l2) return std::max(sum, 0.0F);
  return view.terms.empty() ? -sum : -(sum * view.terms[position]);
}

TEST_P(IvfPqSearcherForms, DistancesAreTheDocumentedSumsBitForBit) {
  const Metric metric = GetParam();
  auto random = test::generator(30 + static_cast<std::uint64_t>(metric));
  for (const CodesShape& shape : {CodesShape{metric, 40, 20, 8, true},
                                  {metric, 40, 7, 4, true},
                                  {metric, 33, 33, 8},
                                  {metric, 24, 6, 8, true, true},
                                  {metric, 40, 5, 8, true, false, 11},
                                  {metric, 70, 9, 4, true, false, 33}}) {
    const MadeCodes index(random, shape, kSizes);
    const std::vector<float> query = draw_values(random, shape.dimension, 3);
    std::vector<float> scaled = query;
    if (metric == Metric::kCosine) normalize(scaled);
    std::vector<reference::Answer> expected;
    for (std::size_t p = 0; p < index.rows(); ++p) {
      expected.push_back({documented(index, scaled, p), index.view().row_numbers[p]});
    }
    reference::rank(metric, expected);
    const Neighbors found =
        search_on_cpu(index.view(), 2)->nearest(query, index.rows(), {.probes = kSizes.size()});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found.rows[i], static_cast<std::int32_t>(expected[i].row));
      ASSERT_EQ(found.distances[i], expected[i].distance);
    }
  }
}

TEST(IvfPqSearcher, ThreadsAndBatchesDoNotChangeAnswers) {
  auto random = test::generator(20);
  // Long lists, so that one query's are shared out.
  const MadeCodes index(random, {Metric::kL2, 8, 2, 8}, {30'000, 1, 20'000, 0, 33, 15'000, 25'000});
  const std::vector<float> queries = draw_values(random, std::size_t{25} * 8, 3);
  const Neighbors one =
      search_on_cpu(index.view(), 1)->nearest(queries, 300, {.probes = 6, .refine = 500});
  const Neighbors more =
      search_on_cpu(index.view(), 3)->nearest(queries, 300, {.probes = 6, .refine = 500});
  EXPECT_EQ(one.rows, more.rows);
  EXPECT_EQ(one.distances, more.distances);
  const RangeNeighbors range = search_on_cpu(index.view(), 1)->within(queries, 10, {.probes = 6});
  EXPECT_GT(range.rows.size(), 100U);
  for (std::size_t q = 0; q < 25; ++q) {
    const std::span<const float> query = std::span(queries).subspan(q * 8, 8);
    const auto searcher = search_on_cpu(index.view(), 4);
    const Neighbors alone = searcher->nearest(query, 300, {.probes = 6, .refine = 500});
    EXPECT_TRUE(std::equal(alone.rows.begin(), alone.rows.end(),
                           one.rows.begin() + static_cast<std::ptrdiff_t>(q * 300)));
    const RangeNeighbors near = searcher->within(query, 10, {.probes = 6});
    EXPECT_EQ(near.rows.size(), range.offsets[q + 1] - range.offsets[q]);
    EXPECT_TRUE(std::equal(near.rows.begin(), near.rows.end(),
                           range.rows.begin() + static_cast<std::ptrdiff_t>(range.offsets[q])));
  }
}

TEST(IvfPqSearcher, RefusesWhatItCannotAnswer) {
  auto random = test::generator(21);
  MadeCodes index(random, {Metric::kL2, 3, 2, 8}, {4, 2});
  index.view().vectors = {};
  const auto searcher = search_on_cpu(index.view(), 1);
  const std::vector<float> query{0, 1, 2};
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 0}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 3}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 0, {.probes = 1}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 7, {.probes = 1}), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.probes = 1, .refine = 5}), UsageError)
      << "no vectors to refine by";
  EXPECT_THROW(searcher->nearest(std::vector<float>{1, 2}, 1, {.probes = 1}), UsageError);
  EXPECT_THROW(searcher->nearest(std::vector<float>{1, 2, std::nanf("")}, 1, {.probes = 1}),
               UsageError);
  EXPECT_THROW(searcher->within(query, std::nanf(""), {.probes = 1}), UsageError);
  const RowFilter other(5);
  EXPECT_THROW(searcher->nearest(query, 1, {.filter = &other, .probes = 1}), UsageError);
  EXPECT_EQ(searcher->nearest({}, 1, {.probes = 1}).queries, 0U);
  EXPECT_EQ(searcher->nearest(query, 6, {.probes = 2}).rows.size(), 6U);
}

}  // namespace
}  // namespace warpdex::vector
