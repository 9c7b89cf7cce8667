// What a long list carries beside its postings so that searches can pass over most of them: bounds
// of its blocks, bounds of ranges of docIDs where it is frequent, and seeds of thresholds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/indexer/format/seeds.hpp"

namespace warpdex {

struct ListBounds {
  std::vector<ScoreBound> blocks;
  std::vector<ScoreBound> ranges;  ///< range_count() of them, or none
  std::vector<ListSeed> seeds;     ///< seed_count() of them
};

/// Of a list of frequencies, given the lengths of all documents. O(n).
ListBounds bound_list(std::span<const std::uint32_t> docids,
                      std::span<const std::uint32_t> frequencies,
                      std::span<const std::uint32_t> lengths);

/// Of a list of impacts, among `documents` documents. O(n).
ListBounds bound_impacts(std::span<const std::uint32_t> docids,
                         std::span<const std::uint32_t> impacts, std::uint64_t documents);

}  // namespace warpdex
