// Search in two passes over codes that were never trained, against IvfPqSearcher on the CPU.
#include "benchmarks/two_pass.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/support.hpp"
#include "tests/vector/ivf/made_codes.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::tools {
namespace {

using test::CodesShape;
using test::MadeCodes;
using vector::Metric;

/// Sizes of lists around those of groups, and some with many.
const std::vector<std::size_t> kSizes{0, 1, 31, 32, 33, 127, 128, 129, 1000, 0, 2049, 3, 255, 257};
constexpr std::size_t kLists = 14;

struct Search {
  std::size_t queries;
  std::size_t k;
  std::size_t probes;
  std::size_t parts;
  std::size_t memory;
};

/// Of query q: distances as those of the nearest, each that of its row, no row twice.
void expect_right(const vector::Neighbors& found, const vector::Neighbors& all, std::size_t q) {
  std::map<std::int32_t, float> distances;
  for (std::size_t i = 0; i < all.k; ++i) {
    distances[all.rows[q * all.k + i]] = all.distances[q * all.k + i];
  }
  std::set<std::int32_t> rows;
  for (std::size_t i = 0; i < found.k; ++i) {
    const std::int32_t row = found.rows[q * found.k + i];
    const float distance = found.distances[q * found.k + i];
    ASSERT_EQ(distance, all.distances[q * all.k + i]) << "place " << i;
    ASSERT_EQ(row < 0, all.rows[q * all.k + i] < 0) << "place " << i;
    if (row < 0) continue;
    ASSERT_TRUE(distances.contains(row)) << "row " << row;
    ASSERT_EQ(distances[row], distance) << "row " << row;
    ASSERT_TRUE(rows.insert(row).second) << "row " << row << " is there twice";
  }
}

vector::Neighbors search_in_two_passes(const MadeCodes& index, Resources& resources,
                                       const vector::Matrix<float>& queries, const Search& search) {
  TwoPassSearch two_pass(index.view(), resources, search.parts, search.memory);
  const TwoPassQueries uploaded = two_pass.upload(queries);
  const Stream stream;
  DeviceArray<std::int32_t> rows(queries.rows * search.k);
  DeviceArray<float> distances(queries.rows * search.k);
  vector::Neighbors found{queries.rows, search.k, std::vector<std::int32_t>(rows.size()),
                          std::vector<float>(rows.size())};
  TwoPassTimes times;
  for (int turn = 0; turn < 2; ++turn) {  // the second one meets the memory of the first
    rows.fill_bytes(1, stream);
    distances.fill_bytes(1, stream);
    stream.synchronize();
    two_pass.nearest_on_gpu(uploaded, search.k, search.probes, rows.data(), distances.data(),
                            times);
  }
  rows.download(found.rows, stream);
  distances.download(found.distances, stream);
  stream.synchronize();
  EXPECT_GT(times.scan, 0);
  return found;
}

TEST(TwoPassSearch, FindsWhatTheCpuFinds) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  auto random = test::generator(26);
  const std::vector<CodesShape> shapes{{Metric::kL2, 48, 16, 8, false},
                                       {Metric::kL2, 33, 5, 8, true},
                                       {Metric::kL2, 40, 7, 4, false},
                                       {Metric::kInnerProduct, 31, 31, 8, false},
                                       {Metric::kInnerProduct, 96, 20, 4, true},
                                       {Metric::kL2, 70, 70, 8, false},
                                       {Metric::kL2, 12, 1, 8, false}};
  const std::vector<Search> searches{{1, 1, 1, 1, 1 << 20},
                                     {33, 100, 5, 8, 1 << 28},
                                     {130, 10, kLists, 3, 1 << 20},
                                     {7, 1500, kLists, 8, 1},
                                     {20, 129, 2, 33, 1 << 24}};
  for (const CodesShape& shape : shapes) {
    const MadeCodes index(random, shape, kSizes);
    Resources resources;
    for (const Search& search : searches) {
      const vector::Matrix<float> queries{
          search.queries, shape.dimension,
          test::draw_values(random, search.queries * shape.dimension, 3)};
      const vector::Neighbors all =
          vector::IvfPqSearcher(index.view()).nearest(queries.values, index.rows(), search.probes);
      const vector::Neighbors found = search_in_two_passes(index, resources, queries, search);
      for (std::size_t q = 0; q < search.queries; ++q) {
        SCOPED_TRACE(std::string(vector::metric_name(shape.metric)) + ", " +
                     std::to_string(shape.bytes) + " bytes of " + std::to_string(shape.bits) +
                     " bits, k " + std::to_string(search.k) + ", probes " +
                     std::to_string(search.probes) + ", query " + std::to_string(q));
        expect_right(found, all, q);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(TwoPassSearch, RefusesWhatItDoesNotKnow) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  auto random = test::generator(27);
  Resources resources;
  const MadeCodes cosine(random, {Metric::kCosine, 8, 2, 8}, {40});
  EXPECT_THROW(TwoPassSearch(cosine.view(), resources, 8, 1 << 20), UsageError);
  const MadeCodes l2(random, {Metric::kL2, 8, 2, 8}, {40});
  EXPECT_THROW(TwoPassSearch(l2.view(), resources, 0, 1 << 20), UsageError);
}

}  // namespace
}  // namespace warpdex::tools
