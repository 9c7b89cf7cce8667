// Puts every edge into the lists of both its rows, then sorts the lists.
#include "warpdex/vector/graph/symmetric_graph.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMaxTimesK = 4;

/// Calls visit(from, to, ascending distance) for each edge.
template <class Visit>
void each_edge(Metric metric, const Neighbors& graph, const Visit& visit) {
  for (std::size_t i = 0; i < graph.rows.size(); ++i) {
    if (graph.rows[i] < 0) continue;
    visit(i / graph.k, static_cast<std::size_t>(graph.rows[i]),
          ascending(metric, graph.distances[i]));
  }
}

}  // namespace

SymmetricGraph::SymmetricGraph(Metric metric, const Neighbors& graph)
    : metric_(metric), begins_(graph.queries + 1) {
  count_edges(graph);
  add_edges(graph);
  sort_lists(graph.k);
}

void SymmetricGraph::count_edges(const Neighbors& graph) {
  each_edge(metric_, graph, [&](std::size_t from, std::size_t to, float /*distance*/) {
    if (to >= graph.queries) {
      throw UsageError("the list of row " + std::to_string(from) + " has row " +
                       std::to_string(to) + ", but there are " + std::to_string(graph.queries));
    }
    ++begins_[from + 1];
    ++begins_[to + 1];
  });
  for (std::size_t row = 0; row < graph.queries; ++row) begins_[row + 1] += begins_[row];
}

void SymmetricGraph::add_edges(const Neighbors& graph) {
  keys_.resize(begins_.back());
  ends_.assign(begins_.begin(), begins_.end() - 1);
  each_edge(metric_, graph, [&](std::size_t from, std::size_t to, float distance) {
    keys_[ends_[from]++] = order_key(distance, static_cast<std::uint32_t>(to));
    keys_[ends_[to]++] = order_key(distance, static_cast<std::uint32_t>(from));
  });
}

/// Rows that are neighbours of each other have two edges, whose keys are the same.
void SymmetricGraph::sort_lists(std::size_t k) {
  for (std::size_t row = 0; row < ends_.size(); ++row) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(begins_[row]);
    auto end = keys_.begin() + static_cast<std::ptrdiff_t>(ends_[row]);
    std::sort(begin, end);
    end = std::unique(begin, end);
    auto length = static_cast<std::size_t>(end - begin);
    if (length > kMaxTimesK * k) {
      length = kMaxTimesK * k;
      ++shortened_;
    }
    ends_[row] = begins_[row] + length;
    longest_ = std::max(longest_, length);
  }
}

Neighbors SymmetricGraph::lists(std::size_t first, std::size_t count) const {
  Neighbors result = make_neighbors(metric_, count, longest_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t begin = begins_[first + i];
    set_answers(metric_, i, std::span(keys_).subspan(begin, ends_[first + i] - begin), result);
  }
  return result;
}

}  // namespace warpdex::vector
