// Tests of k-NN graphs, against a comparison of each row with all others.
#include "warpdex/vector/graph/knn_graph.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/graph/symmetric_graph.hpp"

namespace warpdex::vector {
namespace {

using reference::Answer;
using reference::kInfinity;
using testing::ElementsAre;
using testing::HasSubstr;

/// The nearest others of each row, by the words of the header.
std::vector<std::vector<Answer>> compare_all(const Collection& collection, std::size_t k) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  const std::size_t rows = collection.vectors.vectors.rows;
  const Metric metric = collection.vectors.metric;
  const auto row = [&](std::size_t i) {
    return std::span(collection.rows).subspan(i * dimension, dimension);
  };
  std::vector<std::vector<Answer>> lists(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      if (i != j) lists[i].push_back({reference::distance(metric, row(i), row(j)), j});
    }
    reference::rank(metric, lists[i]);
    lists[i].resize(k);
  }
  return lists;
}

/// What stands in the lists, without what is missing, which must be at their ends.
std::vector<std::vector<Answer>> answers_of(const Neighbors& lists, Metric metric) {
  std::vector<std::vector<Answer>> answers(lists.queries);
  for (std::size_t i = 0; i < lists.rows.size(); ++i) {
    std::vector<Answer>& answer = answers[i / lists.k];
    if (lists.rows[i] >= 0) {
      EXPECT_EQ(answer.size(), i % lists.k) << "after a missing one";
      answer.push_back({lists.distances[i], static_cast<std::size_t>(lists.rows[i])});
    } else {
      EXPECT_EQ(lists.rows[i], -1);
      EXPECT_EQ(lists.distances[i], worst_distance(metric));
    }
  }
  return answers;
}

/// The whole graph, whose parts must come in order.
Neighbors build(const FlatVectors& vectors, const KnnGraphSettings& settings,
                const RowSearch& search) {
  Neighbors all{0, settings.k, {}, {}};
  build_knn_graph(vectors, settings, search, [&](std::size_t first, const Neighbors& lists) {
    EXPECT_EQ(first, all.queries);
    EXPECT_EQ(lists.k, settings.k);
    EXPECT_LE(lists.queries, settings.part_rows);
    all.queries += lists.queries;
    all.rows.insert(all.rows.end(), lists.rows.begin(), lists.rows.end());
    all.distances.insert(all.distances.end(), lists.distances.begin(), lists.distances.end());
  });
  return all;
}

VectorIndex make_index(const std::filesystem::path& target, const VectorIndexSettings& settings,
                       std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

/// Rows of which many are the same, or point the same way.
std::vector<float> draw_with_duplicates(std::mt19937_64& random, std::size_t rows,
                                        std::size_t dimension) {
  std::vector<float> values = test::draw(random, rows * dimension, 0.5F, 1);
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    if (random() % 3 == 0) continue;
    const std::size_t other = random() % rows;
    const float factor = random() % 4 == 0 ? 2.0F : 1.0F;
    for (std::size_t c = 0; c < dimension; ++c) {
      values[i * dimension + c] = factor * values[other * dimension + c];
    }
  }
  return values;
}

TEST(KnnGraph, HasTheNearestOthersOfEachRow) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const Store store : {Store::kFloat, Store::kHalf}) {
      for (const auto& [rows, dimension, part] :
           {std::tuple{2, 1, 1}, {3, 2, 2}, {30, 3, 7}, {90, 5, 64}, {300, 33, 1000}}) {
        for (const bool has_duplicates : {false, true}) {
          const std::vector<float> values = has_duplicates
                                                ? draw_with_duplicates(random, rows, dimension)
                                                : test::draw(random, rows * dimension, 0.5F, 1);
          const Collection collection(metric, store, dimension, values);
          const test::TemporaryFolder folder(test::place_in_memory());
          const VectorIndex index =
              make_index(folder / "index",
                         {.metric = metric, .store = store, .dimension = dimension * 1UL}, values);
          for (const std::size_t k : {1, rows / 3, rows - 1}) {
            if (k == 0) continue;
            SCOPED_TRACE(describe(metric, store, dimension, rows) + ", k " + std::to_string(k));
            const Neighbors graph = build(index.flat(), {k, part * 1UL}, row_search(index, {}));
            EXPECT_EQ(answers_of(graph, metric), compare_all(collection, k));
          }
        }
      }
    }
  }
}

TEST(KnnGraph, IsExactOverInvertedFilesThatAreSearchedWhole) {
  auto random = test::generator(2);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const VectorKind kind : {vector_kind("ivf-flat"), vector_kind("ivf-pq")}) {
      const std::size_t rows = 120;
      const std::vector<float> values = draw_with_duplicates(random, rows, 6);
      const Collection collection(metric, Store::kFloat, 6, values);
      const test::TemporaryFolder folder(test::place_in_memory());
      const VectorIndex index = make_index(folder / "index",
                                           {.metric = metric,
                                            .dimension = 6,
                                            .index = kind,
                                            .ivf = {.lists = 5},
                                            .pq = {.bytes = 2}},
                                           values);
      const RowSearch search = row_search(index, {.probes = 5, .refine = rows});
      const Neighbors graph = build(index.flat(), {9, 50}, search);
      EXPECT_EQ(answers_of(graph, metric), compare_all(collection, 9))
          << vector_kind_name(kind) << ", " << metric_name(metric);
    }
  }
}

TEST(KnnGraph, HasWhatASearchOfFewListsFinds) {
  auto random = test::generator(3);
  const std::size_t rows = 200;
  const std::vector<float> values = test::draw(random, rows * 4, 0, 1);
  const Collection collection(Metric::kL2, Store::kFloat, 4, values);
  const std::vector<std::vector<Answer>> truth = compare_all(collection, rows - 1);
  for (const VectorKind kind : {vector_kind("ivf-flat"), vector_kind("ivf-pq")}) {
    const test::TemporaryFolder folder(test::place_in_memory());
    const VectorIndex index = make_index(
        folder / "index", {.dimension = 4, .index = kind, .ivf = {.lists = 40}, .pq = {.bytes = 4}},
        values);
    const auto graph =
        answers_of(build(index.flat(), {20, 64}, row_search(index, {.probes = 1})), Metric::kL2);
    std::size_t found = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      // Some of the others, each once, at their distances and in their order.
      std::size_t place = 0;
      for (const Answer& answer : graph[row]) {
        while (place < truth[row].size() && !(truth[row][place] == answer)) ++place;
        EXPECT_LT(place++, truth[row].size()) << vector_kind_name(kind) << ", row " << row;
      }
      found += graph[row].size();
    }
    EXPECT_GT(found, rows);
    EXPECT_LT(found, rows * 20) << "lists were short enough to leave places missing";
  }
}

TEST(KnnGraph, LeavesOutTheRowItselfOrElseTheLast) {
  const std::vector<float> values{0, 1, 2, 3};
  const Collection collection(Metric::kL2, Store::kFloat, 1, values);
  std::vector<std::vector<float>> asked;
  const auto answer = [&](std::span<const float> rows, std::size_t k) {
    asked.emplace_back(rows.begin(), rows.end());
    EXPECT_EQ(k, 3U);
    // The row first, the row last, not at all, and too few.
    const std::vector<std::int32_t> found[] = {{0, 2, 3}, {3, 0, 1}, {3, 1, 0}, {3, -1, -1}};
    Neighbors all{rows.size(), k, {}, {}};
    for (const float row : rows) {
      for (const std::int32_t other : found[static_cast<std::size_t>(row)]) {
        all.rows.push_back(other);
        all.distances.push_back(other < 0 ? kInfinity : static_cast<float>(other));
      }
    }
    return all;
  };
  const Neighbors graph = build(collection.vectors, {2, 3}, answer);
  EXPECT_THAT(asked, ElementsAre(std::vector<float>{0, 1, 2}, std::vector<float>{3}));
  EXPECT_THAT(graph.rows, ElementsAre(2, 3, 3, 0, 3, 1, -1, -1));
  EXPECT_THAT(graph.distances, ElementsAre(2, 3, 3, 0, 3, 1, kInfinity, kInfinity));
}

TEST(KnnGraph, RefusesWhatHasNoAnswerAndPassesOnWhatIsThrown) {
  const Collection one(Metric::kL2, Store::kFloat, 1, {5});
  const Collection three(Metric::kL2, Store::kFloat, 1, {5, 6, 7});
  const RowSearch search = [](std::span<const float> rows, std::size_t k) {
    return Neighbors{rows.size(), k, std::vector<std::int32_t>(rows.size() * k, -1),
                     std::vector<float>(rows.size() * k)};
  };
  const auto said = [&](const Collection& collection, const KnnGraphSettings& settings) {
    try {
      build(collection.vectors, settings, search);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(said(one, {1, 1}), HasSubstr("1 row;"));
  EXPECT_THAT(said({Metric::kL2, Store::kFloat, 1, {}}, {1, 1}), HasSubstr("0 rows"));
  EXPECT_THAT(said(three, {0, 1}), HasSubstr("from 1 to 2"));
  EXPECT_THAT(said(three, {3, 1}), HasSubstr("k is 3"));
  EXPECT_THAT(said(three, {1, 0}), HasSubstr("part"));
  EXPECT_EQ(said(three, {2, 1}), "nothing");
  const auto stop = [](std::size_t first, const Neighbors& /*lists*/) {
    if (first == 1) throw IoError("full");
  };
  EXPECT_THROW(build_knn_graph(three.vectors, {1, 1}, search, stop), IoError);
}

TEST(KnnGraph, NeedsTheVectors) {
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index = make_index(folder / "index",
                                       {.dimension = 1,
                                        .index = vector_kind("ivf-pq"),
                                        .ivf = {.lists = 1},
                                        .pq = {.bytes = 1, .keeps_vectors = false}},
                                       std::vector<float>{1, 2, 3});
  EXPECT_THROW(row_search(index, {}), UsageError);
}

/// The lists with edges back, by the words of the header.
std::vector<std::vector<Answer>> with_edges_back(const std::vector<std::vector<Answer>>& graph,
                                                 Metric metric, std::size_t k) {
  std::vector<std::vector<Answer>> lists(graph.size());
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      for (const auto& [from, to] : {std::pair(a, b), {b, a}}) {
        const auto edge =
            std::find_if(graph[from].begin(), graph[from].end(),
                         [to = to](const Answer& answer) { return answer.row == to; });
        if (edge == graph[from].end()) continue;
        lists[a].push_back({edge->distance, b});
        break;
      }
    }
    reference::rank(metric, lists[a]);
    if (lists[a].size() > 4 * k) lists[a].resize(4 * k);
  }
  return lists;
}

void expect_symmetric(const Neighbors& graph, Metric metric, std::size_t shortened) {
  const SymmetricGraph symmetric(metric, graph);
  const auto expected = with_edges_back(answers_of(graph, metric), metric, graph.k);
  std::size_t longest = 1;
  for (const std::vector<Answer>& list : expected) longest = std::max(longest, list.size());
  EXPECT_EQ(symmetric.longest(), longest);
  EXPECT_EQ(symmetric.shortened(), shortened);
  EXPECT_EQ(symmetric.lists(0, graph.queries).k, longest);
  EXPECT_EQ(answers_of(symmetric.lists(0, graph.queries), metric), expected);
  for (std::size_t row = 0; row < graph.queries; ++row) {
    EXPECT_EQ(answers_of(symmetric.lists(row, 1), metric)[0], expected[row]) << row;
  }
}

TEST(SymmetricGraph, HasEveryEdgeBothWays) {
  auto random = test::generator(4);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const auto& [rows, k] : {std::pair{2, 1}, {5, 4}, {60, 20}, {61, 16}, {100, 30}}) {
      const test::TemporaryFolder folder(test::place_in_memory());
      const VectorIndex index =
          make_index(folder / "index", {.metric = metric, .dimension = 3},
                     draw_with_duplicates(random, static_cast<std::size_t>(rows), 3));
      // At least 4 k rows but for hubs, of which there can be none.
      const Neighbors graph =
          build(index.flat(), {static_cast<std::size_t>(k), 4096}, row_search(index, {}));
      SCOPED_TRACE(std::string(metric_name(metric)) + ", " + std::to_string(rows) + ", k " +
                   std::to_string(k));
      expect_symmetric(graph, metric, 0);
    }
  }
}

TEST(SymmetricGraph, ShortensTheListsOfHubs) {
  // All others, at distances from 9 to 1, have row 0 as their neighbour; row 0 has row 9.
  Neighbors graph{10, 1, {9}, {1}};
  for (std::size_t row = 1; row < 10; ++row) {
    graph.rows.push_back(0);
    graph.distances.push_back(static_cast<float>(10 - row));
  }
  expect_symmetric(graph, Metric::kL2, 1);
  const SymmetricGraph symmetric(Metric::kL2, graph);
  EXPECT_EQ(symmetric.longest(), 4U);
  EXPECT_THAT(symmetric.lists(0, 1).rows, ElementsAre(9, 8, 7, 6));
  EXPECT_THAT(symmetric.lists(1, 1).rows, ElementsAre(0, -1, -1, -1));
}

TEST(SymmetricGraph, TakesMissingPlacesAndRefusesRowsThatThereAreNot) {
  expect_symmetric(
      {3, 2, {1, -1, -1, -1, -1, -1}, {2, kInfinity, kInfinity, kInfinity, kInfinity, kInfinity}},
      Metric::kL2, 0);
  expect_symmetric({2, 1, {-1, -1}, {kInfinity, kInfinity}}, Metric::kL2, 0);
  EXPECT_THROW(SymmetricGraph(Metric::kL2, {2, 1, {1, 2}, {0, 0}}), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
