// Graphs over an index of vectors: the nearest others of each vector, and paths of small steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex {

struct KnnGraphOptions {
  std::size_t k = 10;  ///< neighbours of a vector, 1 to the number of vectors less one
  /// Neighbours are neighbours of each other: if b is among a's, a becomes one of b's. A list then
  /// keeps the nearest 4 k. The graph is held in memory.
  bool is_symmetric = false;
  /// Where and how thoroughly it is searched; none: as the index is. GPUs hold the vectors for the
  /// graph beside those for queries.
  std::optional<VectorIndexOptions> search{};
  VectorWork work{};  ///< the stage is "searching", of rows
};

struct KnnGraphReport {
  std::size_t places = 0;     ///< of a list
  std::size_t shortened = 0;  ///< lists of a symmetric graph that had more than 4 k neighbours
};

/// Takes the lists of rows `first` to `first + lists.queries`, `lists.k` places each.
using TakeGraphLists = std::function<void(std::size_t first, const vector::Neighbors& lists)>;

/// For each row of the index its k nearest other rows, by the stored vectors: the k-NN graph. It is
/// as exact as the search. A row is never in its own list; the list of a removed row has only
/// missing places. `take` gets the lists part by part, in the order of rows; what it throws ends
/// the work. Throws UsageError for fewer than two vectors, a k out of range, and where the vectors
/// were not kept; CancelledError; and as a search does.
KnnGraphReport knn_graph(const VectorIndex& index, const KnnGraphOptions& options,
                         const TakeGraphLists& take);
/// All of it in memory.
vector::Neighbors knn_graph(const VectorIndex& index, const KnnGraphOptions& options = {});

struct SmoothPath {
  std::vector<std::int32_t> rows;  ///< from the first to the last
  std::vector<float> steps;        ///< the distance of each row from the one before: one less
};

/// The smoothest path from row `from` to row `to` of the index: of all paths those whose largest
/// step (for products: whose smallest product) is nearest, of these those of the fewest steps, and
/// of these the one of the smallest row numbers, compared from its start. None if there is no path.
/// Row i of `graph` has the rows to which edges lead from row i, -1 is none. O(edges * (dimension +
/// log edges)). Throws UsageError for rows that are not live and where the vectors were not kept,
/// InputError for a graph of another number of rows or with edges to rows that are not live.
std::optional<SmoothPath> smooth_path(const VectorIndex& index,
                                      const vector::Matrix<std::int32_t>& graph, std::size_t from,
                                      std::size_t to);

}  // namespace warpdex
