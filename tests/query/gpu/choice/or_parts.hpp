// Parts of batches, for tests of how OR is answered.
#pragma once

#include <functional>

#include "gpu/choice/or_choice.hpp"
#include "gpu/layout/layout.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {

/// A part, with what decides beside it.
struct OrPart {
  BatchShape shape;
  OrFacts facts{.k = 10, .documents = 10'000'000, .tiles = 611};
  OrMemory memory{.share = std::size_t{1} << 33, .documents = std::size_t{1} << 30};

  OrChoice choice() const { return choose(shape, facts, memory); }
  OrRule stored() const { return choose_stored(shape, facts); }
  bool obeys(OrRule rule) const { return choice().rules[static_cast<std::size_t>(rule)]; }
};

/// The same part, changed.
inline OrPart with(OrPart part, const std::function<void(OrPart&)>& change) {
  change(part);
  return part;
}

/// `queries` of OR with four lists of 100 blocks each, few enough to be small.
inline OrPart small_part(std::uint32_t queries = 1) {
  OrPart part;
  BatchShape& shape = part.shape;
  shape.queries = shape.or_queries = shape.or_states = queries;
  shape.lists = shape.or_lists = 4 * queries;
  shape.or_blocks = std::size_t{400} * queries;
  shape.or_postings = shape.or_blocks * 128;
  shape.tile_entries = 611 * queries;
  shape.range_blocks = kShortRangeBlocks;
  shape.adds_up_only = false;
  shape.longest_or = 4;
  return part;
}

/// Queries with many postings, which share lists.
inline OrPart large_part(std::uint32_t queries = 1000) {
  OrPart part = small_part(queries);
  part.shape.range_blocks = kRangeBlocks;
  part.shape.or_postings = std::size_t{1} << 28;
  part.shape.or_blocks = part.shape.or_postings / 128;
  return part;
}

/// One query of 64 frequent terms, with 10,000 answers.
inline OrPart huge_part() {
  OrPart part = large_part(1);
  part.shape.lists = part.shape.or_lists = part.shape.longest_or = 64;
  part.shape.tile_entries = 611;
  part.shape.or_blocks = 611 * 1025;
  part.facts.k = 10'000;
  return part;
}

}  // namespace warpdex::gpu
