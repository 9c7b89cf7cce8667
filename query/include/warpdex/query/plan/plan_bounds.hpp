// Bounds of a query's scores and an estimate of its work, from its plan alone.
#pragma once

#include <cstdint>

#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// Bounds of a query, from the metadata of its lists; no posting of a long list is read.
struct PlanBounds {
  float max_score = 0;  ///< no document scores more, static scores aside
  float seed = 0;       ///< the threshold that OR starts with; 0 in other modes
  /// Postings of the lists that are likely to be essential at the threshold `seed`: an estimate.
  std::uint64_t essential_postings = 0;
};

/// The bounds of a plan for `index`. `index` may also be a segment, and `plan` the snapshot's plan
/// for it; then max_score holds for the segment, and the others are estimates. O(terms), and with
/// query likelihood O(postings of short lists). Throws FormatError for a damaged short list.
PlanBounds plan_bounds(const Index& index, const PlannedQuery& plan,
                       const SearchSettings& settings);

/// The largest static score of the index, 0 if it has none. O(documents / 4096).
float max_static_score(const Index& index);

}  // namespace warpdex
