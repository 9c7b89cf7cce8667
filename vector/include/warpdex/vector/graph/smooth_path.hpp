// Paths of small steps from one row to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {

struct SmoothPath {
  std::vector<std::int32_t> rows;  ///< from the first to the last
  std::vector<float> steps;        ///< the distance of each row from the one before: one less
};

/// The smoothest path from row `from` to row `to`: of all paths those whose largest step (for
/// products: whose smallest product) is nearest, of these those of the fewest steps, and of these
/// the one whose rows, compared from its start, are the smallest. None if there is no path; a path
/// of one row if both are the same. *Billion-scale similarity search with GPUs*, section 6.6.
///
/// Row i of `graph` has the rows to which edges lead from row i, in any order; -1 is none. Edges
/// are directed. The length of an edge is the canonical distance of the two vectors as they are
/// stored. O(edges * (dimension + log edges)) for the edges that can be reached, and a look at all
/// of `graph`. Memory: 16 bytes a row, and up to 8 an edge. Throws UsageError for rows that are not
/// live; InputError for a graph of another number of rows, and, with row and column, for an edge to
/// a row that is not live.
std::optional<SmoothPath> find_smooth_path(const StoredRows& stored,
                                           const Matrix<std::int32_t>& graph, std::size_t from,
                                           std::size_t to);

}  // namespace warpdex::vector
