// Adds queries to a load that take far longer than the others.
#pragma once

#include <cstddef>
#include <vector>

#include "load/load_measure.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// Terms of a huge query, at most.
inline constexpr std::size_t kHugeTerms = 64;

/// Queries of a plan of `count` once huge ones are in it.
std::size_t planned_with_huge(std::size_t count, std::size_t every);

/// Puts a huge query in the place of each `every`-th of the plan's, and a class of its own for it
/// behind the plan's classes: OR of the 64 most frequent terms of `queries`, k 10,000. `every` is 1
/// or more. Repeats the plan's queries if that is needed to place huge ones at even distances.
void add_huge_queries(const Snapshot& snapshot, const std::vector<Query>& queries,
                      std::size_t every, LoadPlan& plan);

}  // namespace warpdex::tools
