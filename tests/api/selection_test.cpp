// Selection and k-means beside sorting and counting.
#include "warpdex/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

/// Values with ties, zeros of both signs, infinities and NaN.
std::vector<float> draw_values(std::mt19937_64& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    switch (random() % 12) {
      case 0: value = 0.F; break;
      case 1: value = -0.F; break;
      case 2: value = std::numeric_limits<float>::quiet_NaN(); break;
      case 3: value = std::numeric_limits<float>::infinity(); break;
      default: value = static_cast<float>(random() % 40) - 20.F;
    }
  }
  return values;
}

/// Ids by a stable sort: what is right.
std::vector<std::int64_t> sorted_ids(std::span<const float> row, std::size_t k, bool largest) {
  std::vector<std::int64_t> ids(row.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
  std::stable_sort(ids.begin(), ids.end(), [&](std::int64_t a, std::int64_t b) {
    const float x = row[static_cast<std::size_t>(a)];
    const float y = row[static_cast<std::size_t>(b)];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return largest ? x > y : x < y;
  });
  ids.resize(k, -1);
  return ids;
}

TEST(Selection, IsWhatSortingFinds) {
  std::mt19937_64 random = test::generator(61);
  for (const std::size_t columns : {1U, 2U, 31U, 32U, 33U, 127U, 129U, 1000U}) {
    for (const std::size_t k : {1U, 10U, 100U}) {
      for (const bool largest : {false, true}) {
        const std::vector<float> values = draw_values(random, 5 * columns);
        const Selection found = select_k(values, columns, k, largest);
        for (std::size_t row = 0; row < 5; ++row) {
          const auto wanted =
              sorted_ids(std::span(values).subspan(row * columns, columns), k, largest);
          const auto begin = found.ids.begin() + static_cast<std::ptrdiff_t>(row * k);
          EXPECT_EQ(std::vector<std::int64_t>(begin, begin + static_cast<std::ptrdiff_t>(k)),
                    wanted)
              << columns << " " << k << "; seed " << test::seed();
        }
      }
    }
  }
  EXPECT_THROW(select_k(std::vector<float>(7), 2, 1), UsageError);
  EXPECT_THROW(select_k(std::vector<float>(4), 2, 0), UsageError);
  EXPECT_TRUE(std::isinf(select_k(std::vector<float>{1}, 1, 2).values[1]));
}

TEST(Clustering, EveryPointIsInTheClusterOfItsNearestCentroid) {
  std::mt19937_64 random = test::generator(62);
  std::normal_distribution<float> normal;
  std::vector<float> points(3 * 400);
  for (float& each : points) each = normal(random);
  vector::KmeansSettings settings;
  settings.clusters = 7;
  const vector::KmeansResult found = kmeans(points, 3, settings);
  ASSERT_EQ(found.clusters.size(), 400U);
  for (std::size_t p = 0; p < 400; ++p) {
    std::vector<double> distances;
    for (std::size_t c = 0; c < 7; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double part =
            static_cast<double>(points[3 * p + i]) - static_cast<double>(found.centroids.row(c)[i]);
        sum += part * part;
      }
      distances.push_back(sum);
    }
    const double best = *std::min_element(distances.begin(), distances.end());
    EXPECT_NEAR(distances[found.clusters[p]], best, 1e-5 * (1 + best));
  }
  EXPECT_THROW(kmeans(points, 7, settings), UsageError);
}

TEST(GpuSelection, IsTheHosts) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(63);
  const Gpu gpu;
  const Stream stream;
  for (const std::size_t columns : {1U, 33U, 1000U, 70'000U}) {
    for (const std::size_t k : {1U, 10U, 300U}) {
      const std::vector<float> values = draw_values(random, 3 * columns);
      const bool largest = k == 10;
      DeviceArray<float> in(values.size());
      DeviceArray<float> out(3 * k);
      DeviceArray<std::uint32_t> ids(3 * k);
      in.upload(values, stream);
      stream.synchronize();
      select_k(gpu, in.data(), 3, columns, k, largest, out.data(), ids.data());
      std::vector<std::uint32_t> found(3 * k);
      ids.download(found, stream);
      DeviceArray<std::int64_t> wide_ids(3 * k);
      select_k(gpu, in.data(), 3, columns, k, largest, out.data(), wide_ids.data());
      std::vector<std::int64_t> wide(3 * k);
      wide_ids.download(wide, stream);
      stream.synchronize();
      const Selection wanted = select_k(values, columns, k, largest);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(static_cast<std::int32_t>(found[i]), wanted.ids[i]) << columns << " " << k;
        EXPECT_EQ(wide[i], wanted.ids[i]) << columns << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
