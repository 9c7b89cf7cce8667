// The search by codes on a GPU where it is hard: long lists, equal codes, large k, many lists,
// numbers of all magnitudes.
#include <algorithm>
#include <cmath>

#include "tests/vector/lists/gpu_ivf_pq_support.hpp"

namespace warpdex::vector {
namespace {

using GpuIvfPqHard = GpuFlat;

TEST_F(GpuIvfPqHard, LongListsAreSharedByManyCtas) {
  auto random = test::generator(160);
  const MadeCodes index(random, {Metric::kL2, 16, 8, 8}, {60'000, 1, 40'000, 0, 33, 90'000});
  const auto gpu = search_on_gpu(index.view(), resources());
  const RowFilter filter = draw_filter(random, index.rows(), 1000);
  for (const std::size_t count : {1, 3}) {
    const std::vector<float> queries = draw_values(random, count * 16, 3);
    for (const std::size_t k : {1, 10, 100, 1000, 2048, 2049, 4096, 4097, 9000}) {
      expect_as_cpu(index, *gpu, queries, k, 6, 0, nullptr, "long lists");
    }
    expect_as_cpu(index, *gpu, queries, index.rows(), 6, 0, nullptr, "all rows");
    expect_as_cpu(index, *gpu, queries, 500, 6, 0, &filter, "few rows allowed");
  }
  const std::vector<float> queries = draw_values(random, std::size_t{100} * 16, 3);
  for (const CodeWay way : kCodeWays) {
    const auto by_way = search_by(way, index, resources());
    expect_as_cpu(index, *by_way, queries, 10, 3, 0, nullptr, "many queries");
    expect_as_cpu(index, *by_way, queries, 2048, 5, 0, nullptr, "many queries");
    expect_as_cpu(index, *by_way, queries, 10, 5, 100, &filter, "many queries");
  }
}

TEST_F(GpuIvfPqHard, ManyListsAreProbed) {
  auto random = test::generator(161);
  std::vector<std::size_t> sizes(700);
  for (std::size_t& size : sizes) size = random() % 70;
  for (const Metric metric : {Metric::kL2, Metric::kCosine}) {
    const MadeCodes index(random, {metric, 32, 8, 8, true}, sizes);
    for (const CodeWay way : kCodeWays) {
      const auto gpu = search_by(way, index, resources());
      for (const std::size_t count : {1, 60}) {
        const std::vector<float> queries = draw_values(random, count * 32, 3);
        for (const std::size_t probes : {17, 300, 700}) {
          expect_as_cpu(index, *gpu, queries, 50, probes, 0, nullptr, "many lists");
        }
      }
    }
  }
}

TEST_F(GpuIvfPqHard, EqualCodesAreRankedByRow) {
  auto random = test::generator(162);
  MadeCodes index(random, {Metric::kL2, 8, 2, 8}, {30'000, 20'000, 500, 0, 700});
  // All of a list the same: more candidates at one distance than a query's list has places.
  const std::size_t last = index.view().group_begins[2] * 32 * 4;
  std::vector<std::uint8_t> codes(index.view().codes.begin(), index.view().codes.end());
  std::fill(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{7});
  std::vector<float> terms(index.view().terms.begin(), index.view().terms.end());
  std::fill(terms.begin(), terms.begin() + 30'000, 1.5F);
  std::fill(terms.begin() + 30'000, terms.begin() + 50'000, -2.5F);
  index.view().codes = codes;
  index.view().terms = terms;
  const std::vector<float> queries = draw_values(random, std::size_t{100} * 8, 3);
  for (const CodeWay way : kCodeWays) {
    const auto gpu = search_by(way, index, resources());
    for (const std::size_t k : {1, 100, 2048}) {
      expect_as_cpu(index, *gpu, queries, k, 5, 0, nullptr, "equal codes");
      expect_as_cpu(index, *gpu, std::vector<float>(queries.begin(), queries.begin() + 8), k, 5, 0,
                    nullptr, "equal codes");
    }
    if (way != CodeWay::kQueries) {
      EXPECT_GT(gpu->figures().uncertified, 0U);
    }
  }
}

TEST_F(GpuIvfPqHard, DistancesBelowZeroAreZero) {
  auto random = test::generator(163);
  MadeCodes index(random, {Metric::kL2, 16, 4, 8}, {900, 800, 700, 600});
  // Terms that take distances below 0, some of them by little.
  std::vector<float> terms(index.view().terms.begin(), index.view().terms.end());
  for (std::size_t i = 0; i < terms.size(); i += 1 + random() % 4) {
    terms[i] -= static_cast<float>(random() % 300);
  }
  index.view().terms = terms;
  const std::vector<float> queries = draw_values(random, std::size_t{200} * 16, 3);
  for (const CodeWay way : kCodeWays) {
    const auto gpu = search_by(way, index, resources());
    for (const std::size_t k : {1, 10, 300}) {
      expect_as_cpu(index, *gpu, queries, k, 4, 0, nullptr, "below zero");
    }
  }
}

/// Queries, centroids and codes times these factors.
struct Magnitudes {
  float queries;
  float centroids;
  float codebooks;
};

TEST_F(GpuIvfPqHard, NumbersOfAllMagnitudes) {
  auto random = test::generator(164);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    for (const Magnitudes& by : {Magnitudes{1, 1, 1e-3F},
                                 {1e4F, 1e4F, 1},
                                 {1e-12F, 1e-12F, 1e-12F},
                                 {1e12F, 1, 1},
                                 {1e-20F, 1, 1},
                                 {1e17F, 1e17F, 1e17F},
                                 {1e-30F, 1e-30F, 1e-30F},
                                 {0, 1, 1}}) {
      const CodesShape shape{metric, 24, 8, 8};
      MadeCodes index(random, shape, {300, 200, 100, 400});
      const auto scaled = [](std::span<const float> values, float factor) {
        std::vector<float> result(values.begin(), values.end());
        for (float& value : result) value *= factor;
        return result;
      };
      Lists<PqCoding>& view = index.view();
      const std::vector<float> books = scaled(view.quantizer.codebooks, by.codebooks);
      const std::vector<float> terms =
          scaled(view.terms, metric == Metric::kL2 ? by.codebooks * by.codebooks : 1);
      const std::vector<float> centre = scaled(view.centre, by.centroids);
      const auto* const data = static_cast<const float*>(view.centroids.vectors.data);
      const std::vector<float> centroids = scaled({data, 4 * shape.dimension}, by.centroids);
      view.quantizer.codebooks = books;
      view.terms = terms;
      view.centre = centre;
      view.centroids.vectors.data = centroids.data();
      const std::vector<float> norms = scaled(
          view.centroids.norms, metric == Metric::kL2 ? by.centroids * by.centroids : by.centroids);
      view.centroids.norms = norms;
      const std::vector<float> queries =
          scaled(draw_values(random, std::size_t{150} * shape.dimension, 3), by.queries);
      const std::string what = std::to_string(by.queries) + " " + std::to_string(by.codebooks);
      for (const CodeWay way : kCodeWays) {
        const auto gpu = search_by(way, index, resources());
        expect_as_cpu(index, *gpu, queries, 30, 4, 0, nullptr, what);
        expect_as_cpu(index, *gpu, {queries.begin(), queries.begin() + 24}, 30, 4, 0, nullptr,
                      what);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
