// A k-NN graph in which neighbours are neighbours of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// The lists of a k-NN graph with all edges back: if b is among a's neighbours, a becomes one of
/// b's. A list keeps its nearest 4 k rows, nearest first, equal distances by row. So only if a list
/// was *shortened* can the edge back be missing.
class SymmetricGraph {
 public:
  /// `graph` has a list for each row: of rows below `graph.queries`, or -1 for none, and distances
  /// that are the same both ways. O(e log e), where e is the number of edges. Memory: 16 bytes an
  /// edge and 16 a row. Throws UsageError for a row out of range.
  SymmetricGraph(Metric metric, const Neighbors& graph);

  /// The length of the longest list, at least 1 and at most 4 k.
  std::size_t longest() const { return longest_; }
  /// How many lists were shortened.
  std::size_t shortened() const { return shortened_; }
  /// The lists of rows [first, first + count), longest() places each.
  Neighbors lists(std::size_t first, std::size_t count) const;

 private:
  void count_edges(const Neighbors& graph);
  void add_edges(const Neighbors& graph);
  void sort_lists(std::size_t k);

  Metric metric_;
  std::size_t longest_ = 1;
  std::size_t shortened_ = 0;
  std::vector<std::uint64_t> begins_;  ///< of each row's list in keys_; one more for the end
  std::vector<std::uint64_t> ends_;    ///< where its list ends, which may be before the next begins
  std::vector<std::uint64_t> keys_;    ///< order_key()s
};

}  // namespace warpdex::vector
