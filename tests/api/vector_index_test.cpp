// VectorIndex: every coding with and without lists, beside distances worked out one by one; changes
// and commits of others.
#include "warpdex/vector_index.hpp"

#include <algorithm>
#include <random>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kDimension = 6;

std::vector<float> draw_rows(std::mt19937_64& random, std::size_t rows) {
  std::normal_distribution<float> normal;
  std::vector<float> all(rows * kDimension);
  for (float& each : all) each = normal(random);
  return all;
}

double distance(const float* one, const float* other) {
  double sum = 0;
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double part = static_cast<double>(one[i]) - static_cast<double>(other[i]);
    sum += part * part;
  }
  return sum;
}

/// The k nearest live rows of a query, by brute force.
std::vector<std::int32_t> nearest_of(const std::vector<float>& rows, const float* query,
                                     std::size_t k, const std::vector<bool>& removed = {}) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < rows.size() / kDimension; ++i) {
    if (removed.empty() || !removed[i]) order.push_back(static_cast<std::int32_t>(i));
  }
  const auto to = [&](std::int32_t row) {
    return distance(rows.data() + static_cast<std::size_t>(row) * kDimension, query);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return to(a) < to(b); });
  order.resize(std::min(order.size(), k));
  return order;
}

/// How many of the true nearest were found.
double recall(const VectorIndex& index, const std::vector<float>& rows,
              const std::vector<float>& queries, std::size_t k) {
  const vector::Neighbors found = index.search(queries, k);
  std::size_t hits = 0;
  for (std::size_t q = 0; q < found.queries; ++q) {
    for (const std::int32_t row : nearest_of(rows, queries.data() + q * kDimension, k)) {
      hits += static_cast<std::size_t>(
          std::count(found.rows.begin() + static_cast<std::ptrdiff_t>(q * k),
                     found.rows.begin() + static_cast<std::ptrdiff_t>((q + 1) * k), row));
    }
  }
  return static_cast<double>(hits) / static_cast<double>(found.queries * k);
}

TEST(VectorIndexApi, EveryCodingWithAndWithoutListsFindsTheNearest) {
  std::mt19937_64 random = test::generator(31);
  const std::vector<float> rows = draw_rows(random, 900);
  const std::vector<float> queries = draw_rows(random, 20);
  for (const VectorCoding coding :
       {VectorCoding::kRows, VectorCoding::kPq, VectorCoding::kBinary}) {
    for (const std::size_t lists : {std::size_t{0}, std::size_t{8}, kAutoLists}) {
      const test::TemporaryFolder folder;
      const NewVectorIndex settings{.dimension = kDimension, .coding = coding, .lists = lists};
      if (coding == VectorCoding::kPq && lists == 0) {
        EXPECT_THROW(VectorIndex::build(folder / "index", settings, rows), UsageError);
        continue;
      }
      EXPECT_TRUE(VectorIndex::build(folder / "index", settings, rows).empty());
      VectorIndex index(folder / "index");
      EXPECT_EQ(index.rows(), 900U);
      EXPECT_EQ(index.lists() == 0, lists == 0);
      if (coding == VectorCoding::kRows) {
        index.set_depth({.probes = std::max<std::size_t>(1, index.lists())});
      } else {  // all are ranked again: exact
        index.set_depth({.probes = std::max<std::size_t>(1, index.lists()), .refine = 900});
      }
      EXPECT_EQ(recall(index, rows, queries, 10), 1.0)
          << static_cast<int>(coding) << " " << lists << "; seed " << test::seed();
    }
  }
}

TEST(VectorIndexApi, ChangesAreFoundAtOnce) {
  std::mt19937_64 random = test::generator(32);
  const test::TemporaryFolder folder;
  std::vector<float> rows = draw_rows(random, 50);
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("v" + std::to_string(i));
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows, vector::VectorIds(names));
  VectorIndex index(folder / "index");
  VectorIndex other(folder / "index");
  const std::vector<float> more = draw_rows(random, 10);
  EXPECT_THROW(index.add(more, vector::VectorIds(
                                   std::vector<std::string>(names.begin(), names.begin() + 10))),
               InputError);
  std::vector<std::string> new_names;
  for (int i = 0; i < 10; ++i) new_names.push_back("n" + std::to_string(i));
  EXPECT_EQ(index.add(more, vector::VectorIds(new_names)).number, 1U);
  rows.insert(rows.end(), more.begin(), more.end());
  EXPECT_EQ(index.remove(vector::VectorIds(std::vector<std::string>{"v3", "n1"})).number, 2U);
  std::vector<bool> removed(60);
  removed[3] = removed[51] = true;
  for (std::size_t q = 0; q < 60; ++q) {
    const float* const query = rows.data() + q * kDimension;
    const vector::Neighbors found = index.search(std::span(query, kDimension), 5);
    EXPECT_EQ(found.rows, nearest_of(rows, query, 5, removed));
  }
  EXPECT_EQ(index.id(55), "n5");
  EXPECT_EQ(index.live_rows(), 58U);
  EXPECT_EQ(other.live_rows(), 50U);
  EXPECT_TRUE(other.refresh());
  EXPECT_FALSE(other.refresh());
  EXPECT_EQ(other.live_rows(), 58U);
  index.merge();
  EXPECT_EQ(index.rows(), 58U);
  EXPECT_THROW(index.remove(vector::VectorIds(std::vector<std::string>{"v3"})), InputError);
}

TEST(VectorIndexApi, RadiusAndFilter) {
  std::mt19937_64 random = test::generator(33);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 200);
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows);
  const VectorIndex index(folder / "index");
  vector::RowFilter filter(200);
  for (std::size_t i = 0; i < 200; i += 3) filter.add(i);
  const std::span<const float> query(rows.data(), kDimension);
  const vector::RangeNeighbors found = index.search_radius(query, 6.F, &filter);
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < 200; i += 3) {
    const double d = distance(rows.data() + i * kDimension, rows.data());
    if (d <= 6) ++wanted;
  }
  EXPECT_EQ(found.rows.size(), wanted);
  for (const std::int32_t row : index.search(query, 30, &filter).rows) EXPECT_EQ(row % 3, 0);
  EXPECT_THROW(index.search(std::span(rows.data(), 5), 3), UsageError);
}

TEST(VectorIndexApi, TheGraphHoldsTheNearestOthers) {
  std::mt19937_64 random = test::generator(35);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 150);
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows);
  VectorIndex index(folder / "index");
  index.remove(vector::VectorIds(std::vector<std::int64_t>{7}));
  std::vector<bool> removed(150);
  removed[7] = true;
  const vector::Neighbors graph = index.knn_graph(4);
  ASSERT_EQ(graph.rows.size(), 600U);
  for (std::size_t row = 0; row < 150; ++row) {
    std::vector<std::int32_t> wanted(4, -1);
    if (row != 7) {
      wanted = nearest_of(rows, rows.data() + row * kDimension, 5, removed);
      wanted.erase(wanted.begin());  // itself
    }
    EXPECT_EQ(std::vector(graph.rows.begin() + static_cast<std::ptrdiff_t>(4 * row),
                          graph.rows.begin() + static_cast<std::ptrdiff_t>(4 * row + 4)),
              wanted)
        << row;
  }
  EXPECT_THROW(index.knn_graph(149), UsageError);
}

TEST(GpuVectorIndexApi, AnswersAreTheCpus) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(34);
  const std::vector<float> rows = draw_rows(random, 3000);
  const std::vector<float> queries = draw_rows(random, 33);
  const Gpu gpu;
  for (const VectorCoding coding :
       {VectorCoding::kRows, VectorCoding::kPq, VectorCoding::kBinary}) {
    const test::TemporaryFolder folder;
    const VectorDepth depth{.probes = 4, .refine = coding == VectorCoding::kRows ? 0U : 50U};
    VectorIndex::build(folder / "index", {.dimension = kDimension, .coding = coding, .lists = 16},
                       rows);
    const VectorIndex cpu(folder / "index", {.depth = depth});
    VectorIndex index(folder / "index", {.device = Device::kGpu, .gpu = gpu, .depth = depth});
    EXPECT_EQ(index.device(), Device::kGpu);
    const vector::Neighbors wanted = cpu.search(queries, 10);
    const vector::Neighbors found = index.search(queries, 10);
    EXPECT_EQ(found.rows, wanted.rows);
    EXPECT_EQ(found.distances, wanted.distances);
  }
  EXPECT_EQ(gpu.memory_used(), 0U);
}

}  // namespace
}  // namespace warpdex
