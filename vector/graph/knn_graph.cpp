// Searches for one row more than is wanted, so that the row itself can be left out.
#include "warpdex/vector/graph/knn_graph.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "graph/row_positions.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

void check_settings(const KnnGraphSettings& settings, std::size_t rows) {
  if (rows < 2) {
    throw UsageError("the index has " + std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                     "; a graph is of 2 or more");
  }
  if (settings.k < 1 || settings.k >= rows) {
    throw UsageError("k is " + std::to_string(settings.k) + "; a row has from 1 to " +
                     std::to_string(rows - 1) + " others");
  }
  if (settings.part_rows < 1) throw UsageError("a part has 1 row or more, not 0");
}

/// Lists of one place less: without the row itself, or else without the last.
Neighbors without_themselves(std::size_t first, const Neighbors& found) {
  Neighbors lists{found.queries, found.k - 1, {}, {}};
  lists.rows.reserve(lists.queries * lists.k);
  lists.distances.reserve(lists.queries * lists.k);
  for (std::size_t q = 0; q < found.queries; ++q) {
    const auto rows = found.rows.begin() + static_cast<std::ptrdiff_t>(q * found.k);
    const auto distances = found.distances.begin() + static_cast<std::ptrdiff_t>(q * found.k);
    const auto end = static_cast<std::ptrdiff_t>(found.k);
    const auto left_out =
        std::find(rows, rows + end - 1, static_cast<std::int32_t>(first + q)) - rows;
    lists.rows.insert(lists.rows.end(), rows, rows + left_out);
    lists.rows.insert(lists.rows.end(), rows + left_out + 1, rows + end);
    lists.distances.insert(lists.distances.end(), distances, distances + left_out);
    lists.distances.insert(lists.distances.end(), distances + left_out + 1, distances + end);
  }
  return lists;
}

}  // namespace

void build_knn_graph(const FlatVectors& vectors, const KnnGraphSettings& settings,
                     const RowSearch& search, const TakeLists& take) {
  const VectorView& view = vectors.vectors;
  check_settings(settings, view.rows);
  const RowPositions positions(vectors);
  std::vector<float> rows;
  for (std::size_t first = 0; first < view.rows; first += settings.part_rows) {
    const std::size_t count = std::min(settings.part_rows, view.rows - first);
    rows.resize(count * view.dimension);
    for (std::size_t i = 0; i < count; ++i) {
      copy_row(view, positions.of(first + i), rows.data() + i * view.dimension);
    }
    take(first, without_themselves(first, search(rows, settings.k + 1)));
  }
}

}  // namespace warpdex::vector
