// Finds the score that a query's threshold starts with, from the seeds of its lists. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "gpu/batch/term_lists.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::gpu {

/// A list of a query of OR that has no prohibited terms in the list's segment.
struct SeededList {
  std::size_t segment;  ///< its number; lists of a segment are neighbours
  const TermList* list;
  TermScorer scorer;
  float bound = std::numeric_limits<float>::infinity();  ///< no posting scores more
};

/// A score that k live documents reach: those of one list, or of one list in each of several
/// segments. 0 if no seeds say so. O(lists) if one list has enough, else O(lists log(lists)).
float start_seed(std::span<const SeededList> lists, std::uint32_t k);

}  // namespace warpdex::gpu
