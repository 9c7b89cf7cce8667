// The queries of a load that mixes kinds of them.
#pragma once

#include <span>

#include "load/load_measure.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// Adds each query in each of the plan's kinds. The kinds take turns, and each begins at another
/// place of `queries`. If one query came in all kinds one after the other, all but the first would
/// find its lists in the caches, which queries of a real log do not.
void add_mixed_queries(const Snapshot& snapshot, std::span<const Query> queries, LoadPlan& plan);

}  // namespace warpdex::tools
