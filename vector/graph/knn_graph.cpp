// Searches for one row more than is wanted, so that the row itself can be left out.
#include "warpdex/vector/graph/knn_graph.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "flat/search_input.hpp"
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

/// Sets the list of row `row`: without the row itself, or else without the last place.
void set_list(const Neighbors& found, std::size_t query, std::size_t row, std::size_t list,
              Neighbors& lists) {
  const std::size_t k = lists.k;
  const std::int32_t* const rows = found.rows.data() + query * found.k;
  const float* const distances = found.distances.data() + query * found.k;
  const auto itself =
      static_cast<std::size_t>(std::find(rows, rows + k, static_cast<std::int32_t>(row)) - rows);
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t place = i < itself ? i : i + 1;
    lists.rows[list * k + i] = rows[place];
    lists.distances[list * k + i] = distances[place];
  }
}

}  // namespace

void build_knn_graph(const StoredRows& stored, const KnnGraphSettings& settings,
                     const RowSearch& search, const TakeLists& take) {
  check_settings(settings, stored.live_rows());
  std::vector<float> rows;
  std::vector<std::size_t> live;
  for (std::size_t first = 0; first < stored.rows(); first += settings.part_rows) {
    const std::size_t count = std::min(settings.part_rows, stored.rows() - first);
    live.clear();
    for (std::size_t row = first; row < first + count; ++row) {
      if (stored.is_live(row)) live.push_back(row);
    }
    rows.resize(live.size() * stored.dimension());
    for (std::size_t i = 0; i < live.size(); ++i) {
      stored.copy(live[i], rows.data() + i * stored.dimension());
    }
    Neighbors lists = make_neighbors(stored.metric(), count, settings.k);
    const Neighbors found = search(rows, settings.k + 1);
    for (std::size_t i = 0; i < live.size(); ++i) {
      set_list(found, i, live[i], live[i] - first, lists);
    }
    take(first, lists);
  }
}

}  // namespace warpdex::vector
