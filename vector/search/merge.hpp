// Merges the answers of several searchers, each of other rows.
#pragma once

#include <cstddef>
#include <span>

#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// The k nearest of each query among what all parts found. `parts` have the same queries, and
/// numbers of rows that no two share; each query's answers are sorted, as in Neighbors.
/// O(queries * k * parts), on all threads where that is much.
Neighbors merge_nearest(Metric metric, std::span<const Neighbors> parts, std::size_t k);

/// Likewise all of them.
RangeNeighbors merge_within(Metric metric, std::span<const RangeNeighbors> parts,
                            std::size_t queries);

}  // namespace warpdex::vector
