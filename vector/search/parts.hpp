// Parts of a whole: their answers merged, and errors that say which part they come from.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// The k nearest of each query among what all parts found. `parts` have the same queries, and
/// numbers of rows that no two share; each query's answers are sorted, as in Neighbors.
/// O(queries * k * parts), on all threads where that is much.
Neighbors merge_nearest(Metric metric, std::span<const Neighbors> parts, std::size_t k);

/// Likewise all of them.
RangeNeighbors merge_within(Metric metric, std::span<const RangeNeighbors> parts,
                            std::size_t queries);

/// Calls `work`. An exception gets `name` and a colon before its message and keeps its type (others
/// than ours become a plain Error). A UsageError stays as it is, since it is about the arguments of
/// the whole search.
void with_name(const std::string& name, const std::function<void()>& work);

}  // namespace warpdex::vector
