// The order in which threads take the queries of a batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex {

/// Numbers of the queries, those with the most postings first, so that no thread begins a long one
/// when the others are done. O(n log n).
std::vector<std::uint32_t> heaviest_first(std::span<const PlannedQuery> plans);

}  // namespace warpdex
