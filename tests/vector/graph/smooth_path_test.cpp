// Tests of smooth paths, against all simple paths of small graphs, and against plain relaxation
// over larger ones.
#include "warpdex/vector/graph/smooth_path.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Graph = Matrix<std::int32_t>;

/// The vectors of a graph's rows.
struct Points {
  Metric metric;
  std::size_t dimension;
  std::vector<float> rows;

  float distance(std::int32_t a, std::int32_t b) const {
    const auto row = [&](std::int32_t i) {
      return std::span(rows).subspan(static_cast<std::size_t>(i) * dimension, dimension);
    };
    return reference::distance(metric, row(a), row(b));
  }
  /// Larger where farther.
  float step(std::int32_t a, std::int32_t b) const {
    return metric == Metric::kL2 ? distance(a, b) : -distance(a, b);
  }
};

/// A path with what it is judged by.
struct Judged {
  float largest = -std::numeric_limits<float>::infinity();
  std::vector<std::int32_t> rows;

  bool operator<(const Judged& other) const {
    if (largest != other.largest) return largest < other.largest;
    if (rows.size() != other.rows.size()) return rows.size() < other.rows.size();
    return rows < other.rows;
  }
};

/// The best of all simple paths that begin as `path` does.
void try_all(const Points& points, const Graph& graph, std::int32_t to, const Judged& path,
             std::optional<Judged>* best) {
  if (path.rows.back() == to) {
    if (!*best || path < **best) *best = path;
    return;
  }
  for (const std::int32_t next : graph.row(static_cast<std::size_t>(path.rows.back()))) {
    if (next < 0 || std::count(path.rows.begin(), path.rows.end(), next) > 0) continue;
    Judged longer = path;
    longer.largest = std::max(path.largest, points.step(path.rows.back(), next));
    longer.rows.push_back(next);
    try_all(points, graph, to, longer, best);
  }
}

void expect_path(const Points& points, const std::optional<SmoothPath>& found,
                 const std::optional<Judged>& expected, const std::string& what) {
  ASSERT_EQ(found.has_value(), expected.has_value()) << what;
  if (!found) return;
  EXPECT_EQ(found->rows, expected->rows) << what;
  std::vector<float> steps;
  for (std::size_t i = 1; i < expected->rows.size(); ++i) {
    steps.push_back(points.distance(expected->rows[i - 1], expected->rows[i]));
  }
  EXPECT_EQ(found->steps, steps) << what;
}

/// Edges anywhere, some of them missing, repeated or leading back to their row.
Graph draw_graph(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                 std::size_t missing_of_8) {
  Graph graph{rows, columns, std::vector<std::int32_t>(rows * columns)};
  for (std::int32_t& edge : graph.values) {
    edge = random() % 8 < missing_of_8 ? -1 : static_cast<std::int32_t>(random() % rows);
  }
  return graph;
}

/// Few different places, so that there are duplicates and equal steps, whose distances are exact.
Points random_points(std::mt19937_64& random, Metric metric, std::size_t rows) {
  Points points{metric, 2, {}};
  while (points.rows.size() < rows * 2) {
    const auto x = static_cast<float>(random() % 4);
    const auto y = static_cast<float>(random() % 3) - 1;
    // Of length 1 for cosines.
    const std::vector<float> pair = metric != Metric::kCosine ? std::vector{x, y}
                                    : x < 2                   ? std::vector{x, 1 - x}
                                                              : std::vector{0.6F, 0.8F};
    points.rows.insert(points.rows.end(), pair.begin(), pair.end());
  }
  return points;
}

TEST(SmoothPath, IsTheBestOfAllSimplePaths) {
  auto random = test::generator(1);
  std::size_t found = 0;
  std::size_t not_found = 0;
  for (int round = 0; round < 3000; ++round) {
    const Metric metric =
        std::array{Metric::kL2, Metric::kInnerProduct, Metric::kCosine}[round % 3];
    const std::size_t rows = 1 + random() % 7;
    const Points points = random_points(random, metric, rows);
    const Graph graph = draw_graph(random, rows, 1 + random() % 4, random() % 8);
    const auto from = static_cast<std::int32_t>(random() % rows);
    const auto to = static_cast<std::int32_t>(random() % rows);
    std::optional<Judged> expected;
    Judged start;
    start.rows = {from};
    try_all(points, graph, to, start, &expected);
    const FlatVectors vectors{metric, {points.rows.data(), Store::kFloat, rows, 2, 2}};
    const auto path = find_smooth_path(vectors, graph, static_cast<std::size_t>(from),
                                       static_cast<std::size_t>(to));
    expect_path(points, path, expected, "round " + std::to_string(round));
    if (testing::Test::HasFailure()) return;
    ++(path ? found : not_found);
  }
  EXPECT_GT(found, 300U);
  EXPECT_GT(not_found, 300U);
}

/// For each row the largest step of the best path from `from`, by relaxing edges until none helps.
std::vector<float> relax(const Points& points, const Graph& graph, std::int32_t from) {
  std::vector<float> best(graph.rows, std::numeric_limits<float>::infinity());
  best[static_cast<std::size_t>(from)] = -std::numeric_limits<float>::infinity();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      const std::int32_t next = graph.values[i];
      const std::size_t row = i / graph.columns;
      if (next < 0) continue;
      const float step = std::max(best[row], points.step(static_cast<std::int32_t>(row), next));
      if (step >= best[static_cast<std::size_t>(next)]) continue;
      best[static_cast<std::size_t>(next)] = step;
      changed = true;
    }
  }
  return best;
}

/// For each row how many steps of at most `limit` lead to `to`, by relaxing too.
std::vector<std::size_t> steps_to(const Points& points, const Graph& graph, std::int32_t to,
                                  float limit) {
  std::vector<std::size_t> steps(graph.rows, graph.rows);
  steps[static_cast<std::size_t>(to)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      const std::int32_t next = graph.values[i];
      const std::size_t row = i / graph.columns;
      if (next < 0 || points.step(static_cast<std::int32_t>(row), next) > limit) continue;
      if (steps[static_cast<std::size_t>(next)] + 1 >= steps[row]) continue;
      steps[row] = steps[static_cast<std::size_t>(next)] + 1;
      changed = true;
    }
  }
  return steps;
}

TEST(SmoothPath, IsTheBestOfLargerGraphsInWhateverOrderVectorsLie) {
  auto random = test::generator(2);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const Store store : {Store::kFloat, Store::kHalf}) {
      const std::size_t rows = 400;
      const std::size_t dimension = 35;
      const Collection collection(metric, store, dimension,
                                  test::draw(random, rows * dimension, 0.2F, 1));
      // The vector at a position is that of another row.
      std::vector<std::uint32_t> row_numbers(rows);
      std::iota(row_numbers.begin(), row_numbers.end(), 0U);
      std::shuffle(row_numbers.begin(), row_numbers.end(), random);
      FlatVectors vectors = collection.vectors;
      vectors.row_numbers = row_numbers;
      Points points{metric, dimension, std::vector<float>(rows * dimension)};
      for (std::size_t i = 0; i < rows; ++i) {
        std::copy_n(collection.rows.begin() + static_cast<std::ptrdiff_t>(i * dimension), dimension,
                    points.rows.begin() + static_cast<std::ptrdiff_t>(row_numbers[i] * dimension));
      }
      const Graph graph = draw_graph(random, rows, 5, 1);
      for (int round = 0; round < 5; ++round) {
        const auto from = static_cast<std::int32_t>(random() % rows);
        const auto to = static_cast<std::int32_t>(random() % rows);
        if (from == to) continue;
        const float largest = relax(points, graph, from)[static_cast<std::size_t>(to)];
        std::optional<Judged> expected;
        if (!std::isinf(largest)) {
          const std::vector<std::size_t> left = steps_to(points, graph, to, largest);
          expected = Judged{largest, {from}};
          while (expected->rows.back() != to) {
            const std::int32_t row = expected->rows.back();
            std::int32_t chosen = std::numeric_limits<std::int32_t>::max();
            for (const std::int32_t next : graph.row(static_cast<std::size_t>(row))) {
              if (next < 0 || points.step(row, next) > largest) continue;
              if (left[static_cast<std::size_t>(next)] + 1 == left[static_cast<std::size_t>(row)]) {
                chosen = std::min(chosen, next);
              }
            }
            expected->rows.push_back(chosen);
          }
        }
        const auto path = find_smooth_path(vectors, graph, static_cast<std::size_t>(from),
                                           static_cast<std::size_t>(to));
        expect_path(points, path, expected, describe(metric, store, dimension, rows));
      }
    }
  }
}

TEST(SmoothPath, PrefersSmallStepsThenFewThenSmallRows) {
  const std::vector<float> places{0, 9, 3, 6, 3, 1};
  const FlatVectors vectors{Metric::kL2, {places.data(), Store::kFloat, 6, 1, 1}};
  // 0 leads to 1 at once, over 2 or 4 (both at 3) and 3, and by a detour over 5.
  const Graph graph{6, 4, {1, 5,  4,  2,  -1, -1, -1, -1, 3, -1, -1, -1,
                           1, -1, -1, -1, -1, 3,  -1, -1, 2, -1, -1, -1}};
  const auto path = find_smooth_path(vectors, graph, 0, 1);
  ASSERT_TRUE(path);
  EXPECT_THAT(path->rows, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(path->steps, ElementsAre(9, 9, 9));
  const auto none = find_smooth_path(vectors, graph, 3, 3);
  ASSERT_TRUE(none);
  EXPECT_THAT(none->rows, ElementsAre(3));
  EXPECT_THAT(none->steps, IsEmpty());
  EXPECT_FALSE(find_smooth_path(vectors, graph, 1, 0)) << "edges go one way";
}

TEST(SmoothPath, TakesStepsPastTheRangeOfFloatsOnlyWhereItMust) {
  const std::vector<float> places{-3e38F, 3e38F, 0, 1};
  const FlatVectors vectors{Metric::kL2, {places.data(), Store::kFloat, 4, 1, 1}};
  const Graph graph{4, 1, {1, 2, 3, -1}};
  const auto path = find_smooth_path(vectors, graph, 0, 3);
  ASSERT_TRUE(path);
  EXPECT_THAT(path->rows, ElementsAre(0, 1, 2, 3));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(path->steps, ElementsAre(infinity, infinity, 1));
  // A product that is no number: infinity less infinity.
  const std::vector<float> wide{3e38F, 3e38F, 3e38F, -3e38F, 1, 0};
  const FlatVectors products{Metric::kInnerProduct, {wide.data(), Store::kFloat, 3, 2, 2}};
  const auto odd = find_smooth_path(products, {3, 1, {1, 2, -1}}, 0, 2);
  ASSERT_TRUE(odd);
  EXPECT_THAT(odd->rows, ElementsAre(0, 1, 2));
  EXPECT_TRUE(std::isnan(odd->steps[0]));
}

TEST(SmoothPath, RefusesGraphsOfOtherRows) {
  const std::vector<float> places{0, 1, 2};
  const FlatVectors vectors{Metric::kL2, {places.data(), Store::kFloat, 3, 1, 1}};
  const auto said = [&](const Graph& graph, std::size_t from, std::size_t to) {
    try {
      find_smooth_path(vectors, graph, from, to);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const Graph graph{3, 2, {1, -1, 2, -1, -1, -1}};
  EXPECT_EQ(said(graph, 0, 2), "nothing");
  EXPECT_THAT(said(graph, 3, 0), HasSubstr("no row 3"));
  EXPECT_THAT(said(graph, 0, 3), HasSubstr("no row 3"));
  EXPECT_THAT(said({2, 1, {1, 0}}, 0, 1), HasSubstr("2 rows, but the index has 3"));
  EXPECT_THAT(said({3, 2, {1, 0, 1, 3, -1, 0}}, 0, 1), HasSubstr("row 1, column 1"));
  EXPECT_THAT(said({3, 2, {1, 0, 1, 0, -2, 0}}, 0, 1), HasSubstr("row 2, column 0"));
  EXPECT_THROW(find_smooth_path(vectors, graph, 0, 3), UsageError);
  EXPECT_THROW(find_smooth_path(vectors, {2, 1, {1, 0}}, 0, 1), InputError);
  const FlatVectors none{Metric::kL2, {nullptr, Store::kFloat, 0, 1, 1}};
  EXPECT_THROW(find_smooth_path(none, {0, 1, {}}, 0, 0), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
