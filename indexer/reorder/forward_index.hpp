// From posting lists to the terms of each document, as the bisection takes them.
#pragma once

#include <cstdint>
#include <functional>

#include "reorder/bisection.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::reorder {

/// Which lists the bisection works with, and what it takes.
struct ForwardPlan {
  std::uint32_t min_list = 0;       ///< lists of so many postings and more
  std::uint64_t terms = 0;          ///< their number
  std::uint64_t postings = 0;       ///< their postings
  std::uint64_t memory = 0;         ///< bytes: bisection_memory() of them
  std::uint64_t wished_memory = 0;  ///< bytes that all wanted lists would take
};

/// Chooses the lists of `min_list` postings (2 or more) and more, or of the fewest more that fit
/// into `memory` bytes: the rarest are left out first, since an order saves least on them.
/// O(terms). `check` is called now and then. Throws FormatError for a damaged lexicon.
ForwardPlan plan_forward_index(const Index& index, std::uint32_t min_list, std::uint64_t memory,
                               const std::function<void()>& check);

/// The lists of `plan.min_list` postings and more, by document; frequent terms have low numbers.
/// `progress` is called with the share done. Throws FormatError for damaged lists.
ForwardIndex read_forward_index(const Index& index, const ForwardPlan& plan,
                                const std::function<void(double)>& progress);

}  // namespace warpdex::reorder
