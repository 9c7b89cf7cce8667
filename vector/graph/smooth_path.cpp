// Finds the largest step that must be taken, by Dijkstra's algorithm with the largest step in the
// place of the sum, then the fewest steps that are no larger, breadth first.
#include "warpdex/vector/graph/smooth_path.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <string>

#include "distance/distance_kernels.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// A step's length as a whole number that grows with it: the upper half of an order_key().
using Length = std::uint32_t;

void check_arguments(const StoredRows& stored, const Matrix<std::int32_t>& graph, std::size_t from,
                     std::size_t to) {
  const std::size_t rows = stored.rows();
  if (graph.rows != rows) {
    throw InputError("the graph has " + std::to_string(graph.rows) + " rows, but the index has " +
                     std::to_string(rows) + "; give a graph of this index");
  }
  for (const std::size_t row : {from, to}) {
    if (stored.is_live(row)) continue;
    if (row < rows) throw UsageError("row " + std::to_string(row) + " was removed");
    throw UsageError("there is no row " + std::to_string(row) + " in an index of " +
                     std::to_string(rows));
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const std::int32_t row = graph.values[i];
    if (row == -1 || (row >= 0 && stored.is_live(static_cast<std::size_t>(row)))) continue;
    const bool was_removed = row >= 0 && static_cast<std::size_t>(row) < rows;
    throw InputError("row " + std::to_string(i / graph.columns) + ", column " +
                     std::to_string(i % graph.columns) + " of the graph is " + std::to_string(row) +
                     (was_removed ? ", which was removed from the index; build the graph again"
                                  : "; it is -1 or a row below " + std::to_string(rows)));
  }
}

class PathSearch {
 public:
  PathSearch(const StoredRows& stored, const Matrix<std::int32_t>& graph)
      : stored_(stored), graph_(graph), vector_(padded(stored.dimension())) {}

  /// The largest step of the smoothest path; none: there is no path.
  std::optional<Length> largest_step(std::uint32_t from, std::uint32_t to);
  /// The path, all of whose steps are at most `limit`; there must be one.
  SmoothPath fewest_steps(std::uint32_t from, std::uint32_t to, Length limit);

 private:
  /// Calls visit(row, length) for each edge from `row`.
  template <class Visit>
  void each_edge(std::uint32_t row, const Visit& visit);
  /// The rows to which `row` has edges of at most `limit`, ascending.
  std::vector<std::uint32_t> near(std::uint32_t row, Length limit);
  float distance(std::uint32_t row, std::uint32_t other);

  const StoredRows& stored_;
  const Matrix<std::int32_t>& graph_;
  std::vector<float> vector_;
};

template <class Visit>
void PathSearch::each_edge(std::uint32_t row, const Visit& visit) {
  stored_.copy(row, vector_.data());
  for (const std::int32_t next : graph_.row(row)) {
    if (next < 0) continue;
    const std::uint64_t key = stored_.key(vector_.data(), static_cast<std::size_t>(next));
    visit(static_cast<std::uint32_t>(next), static_cast<Length>(key >> 32));
  }
}

std::optional<Length> PathSearch::largest_step(std::uint32_t from, std::uint32_t to) {
  constexpr auto kUnreached = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> best(stored_.rows(), kUnreached);
  // The largest step on the way to a row, and the row.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> open;
  best[from] = 0;
  open.push(from);
  while (!open.empty()) {
    const auto largest = static_cast<Length>(open.top() >> 32);
    const auto row = static_cast<std::uint32_t>(open.top());
    open.pop();
    if (row == to) return largest;
    if (largest > best[row]) continue;
    each_edge(row, [&](std::uint32_t next, Length length) {
      const Length larger = std::max(largest, length);
      if (larger >= best[next]) return;
      best[next] = larger;
      open.push(std::uint64_t{larger} << 32 | next);
    });
  }
  return std::nullopt;
}

std::vector<std::uint32_t> PathSearch::near(std::uint32_t row, Length limit) {
  std::vector<std::uint32_t> rows;
  each_edge(row, [&](std::uint32_t next, Length length) {
    if (length <= limit) rows.push_back(next);
  });
  std::sort(rows.begin(), rows.end());
  return rows;
}

float PathSearch::distance(std::uint32_t row, std::uint32_t other) {
  stored_.copy(row, vector_.data());
  return from_ascending(stored_.metric(), key_value(stored_.key(vector_.data(), other)));
}

/// Rows enter the queue in the order of their smallest paths: by the path of the row before, which
/// the queue has in this order already, then by the row.
SmoothPath PathSearch::fewest_steps(std::uint32_t from, std::uint32_t to, Length limit) {
  std::vector<std::int32_t> before(stored_.rows(), -1);
  std::vector<std::uint32_t> queue{from};
  for (std::size_t i = 0; i < queue.size() && before[to] < 0 && from != to; ++i) {
    for (const std::uint32_t next : near(queue[i], limit)) {
      if (next == from || before[next] >= 0) continue;
      before[next] = static_cast<std::int32_t>(queue[i]);
      queue.push_back(next);
    }
  }
  SmoothPath path;
  for (auto row = static_cast<std::int32_t>(to); row >= 0;
       row = before[static_cast<std::size_t>(row)]) {
    path.rows.push_back(row);
  }
  std::reverse(path.rows.begin(), path.rows.end());
  for (std::size_t i = 1; i < path.rows.size(); ++i) {
    path.steps.push_back(distance(static_cast<std::uint32_t>(path.rows[i - 1]),
                                  static_cast<std::uint32_t>(path.rows[i])));
  }
  return path;
}

}  // namespace

std::optional<SmoothPath> find_smooth_path(const StoredRows& stored,
                                           const Matrix<std::int32_t>& graph, std::size_t from,
                                           std::size_t to) {
  check_arguments(stored, graph, from, to);
  PathSearch search(stored, graph);
  const auto first = static_cast<std::uint32_t>(from);
  const auto last = static_cast<std::uint32_t>(to);
  const std::optional<Length> largest = search.largest_step(first, last);
  if (!largest) return std::nullopt;
  return search.fewest_steps(first, last, *largest);
}

}  // namespace warpdex::vector
