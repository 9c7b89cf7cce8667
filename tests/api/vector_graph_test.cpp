// k-NN graphs and paths of an index of vectors, beside distances worked out one by one.
#include "warpdex/vector_graph.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kComponents = 5;

class VectorGraphApi : public testing::Test {
 protected:
  VectorGraphApi() : rows_(150 * kComponents) {
    std::mt19937_64 random = test::generator(35);
    std::normal_distribution<float> normal;
    for (float& each : rows_) each = normal(random);
    VectorIndex::build(folder_ / "index", {.dimension = kComponents}, rows_);
    index_.emplace(folder_ / "index");
    index_->remove(vector::VectorIds(std::vector<std::int64_t>{7}));
  }

  double distance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < kComponents; ++i) {
      const double part = static_cast<double>(rows_[a * kComponents + i]) -
                          static_cast<double>(rows_[b * kComponents + i]);
      sum += part * part;
    }
    return sum;
  }

  std::vector<std::int32_t> nearest_others(std::size_t row, std::size_t k) const {
    if (row == 7) return std::vector<std::int32_t>(k, -1);
    std::vector<std::int32_t> others;
    for (std::size_t i = 0; i < 150; ++i) {
      if (i != row && i != 7) others.push_back(static_cast<std::int32_t>(i));
    }
    std::stable_sort(others.begin(), others.end(), [&](std::int32_t a, std::int32_t b) {
      return distance(row, static_cast<std::size_t>(a)) <
             distance(row, static_cast<std::size_t>(b));
    });
    others.resize(k);
    return others;
  }

  static std::vector<std::int32_t> list(const vector::Neighbors& graph, std::size_t row) {
    const auto begin = graph.rows.begin() + static_cast<std::ptrdiff_t>(row * graph.k);
    return {begin, begin + static_cast<std::ptrdiff_t>(graph.k)};
  }

  const test::TemporaryFolder folder_;
  std::vector<float> rows_;
  std::optional<VectorIndex> index_;
};

TEST_F(VectorGraphApi, HoldsTheNearestOthers) {
  const vector::Neighbors graph = knn_graph(*index_, {.k = 4});
  ASSERT_EQ(graph.queries, 150U);
  ASSERT_EQ(graph.k, 4U);
  for (std::size_t row = 0; row < 150; ++row) {
    EXPECT_EQ(list(graph, row), nearest_others(row, 4)) << row << "; seed " << test::seed();
  }
  EXPECT_THROW(knn_graph(*index_, {.k = 149}), UsageError);
}

TEST_F(VectorGraphApi, SymmetricOnesLeadBack) {
  std::uint64_t done = 0;
  std::vector<std::set<std::int32_t>> lists;
  const KnnGraphOptions options{
      .k = 3,
      .is_symmetric = true,
      .search = VectorIndexOptions{.threads = 2},
      .work = {.progress = [&](const char*, std::uint64_t now, std::uint64_t) { done = now; }}};
  const KnnGraphReport report =
      knn_graph(*index_, options, [&](std::size_t first, const vector::Neighbors& some) {
        EXPECT_EQ(first, lists.size());
        for (std::size_t row = 0; row < some.queries; ++row) {
          const std::vector<std::int32_t> own = list(some, row);
          lists.emplace_back(own.begin(), own.end());
          lists.back().erase(-1);
        }
      });
  EXPECT_EQ(done, 150U);
  ASSERT_EQ(lists.size(), 150U);
  std::size_t longest = 0;
  for (std::size_t row = 0; row < 150; ++row) {
    longest = std::max(longest, lists[row].size());
    for (const std::int32_t other : lists[row]) {
      if (report.shortened > 0) break;
      EXPECT_TRUE(lists[static_cast<std::size_t>(other)].contains(static_cast<std::int32_t>(row)));
    }
  }
  EXPECT_EQ(report.places, longest);
}

TEST_F(VectorGraphApi, PathsGoByEdges) {
  const vector::Neighbors graph = knn_graph(*index_, {.k = 8});
  const vector::Matrix<std::int32_t> edges{graph.queries, graph.k, graph.rows};
  std::int32_t end = 0;  // there is a path to it: one of four edges
  for (int hops = 0; hops < 4; ++hops) end = list(graph, static_cast<std::size_t>(end)).back();
  const std::optional<SmoothPath> path =
      smooth_path(*index_, edges, 0, static_cast<std::uint32_t>(end));
  ASSERT_TRUE(path) << "seed " << test::seed();
  EXPECT_EQ(path->rows.front(), 0);
  EXPECT_EQ(path->rows.back(), end);
  ASSERT_EQ(path->steps.size() + 1, path->rows.size());
  for (std::size_t i = 0; i < path->steps.size(); ++i) {
    const auto from = static_cast<std::size_t>(path->rows[i]);
    const std::vector<std::int32_t> own = list(graph, from);
    EXPECT_TRUE(std::find(own.begin(), own.end(), path->rows[i + 1]) != own.end());
    EXPECT_NEAR(path->steps[i], distance(from, static_cast<std::size_t>(path->rows[i + 1])), 1e-4);
  }
  EXPECT_THROW(smooth_path(*index_, edges, 0, 7), UsageError);
  const vector::Matrix<std::int32_t> none{150, 1, std::vector<std::int32_t>(150, -1)};
  EXPECT_FALSE(smooth_path(*index_, none, 0, 101));
}

}  // namespace
}  // namespace warpdex
