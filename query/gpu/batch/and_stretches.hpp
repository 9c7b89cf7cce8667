// The stretches of AND: blocks of the queries' shortest required lists, in the order in which CTAs
// take them. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

/// Blocks of a query's shortest required list that AND takes together. In batches of few postings,
/// fewer for a list that would else be shared out to few CTAs: a chunk's documents may each be in
/// another block of another list.
std::uint32_t blocks_of_and_chunk(std::uint32_t list_blocks, bool are_few);

/// The stretches of some of a batch's queries. Those of a batch are in the order of their place in
/// their query, and then of the queries, so that all queries' thresholds rise together: a counting
/// sort, O(stretches), whose parts may be done side by side for different queries.
class AndStretches {
 public:
  void clear();
  /// A query whose driver has so many blocks.
  void add(std::uint32_t blocks) { drivers_.push_back(blocks); }

  /// Counts stretches, once all queries are known. Returns how many there are.
  std::uint32_t count(bool are_few);
  /// How many stretches have a place, by place.
  std::vector<std::uint32_t>& counts() { return counts_; }
  /// The counts are now where the next stretch of a place goes: writes those of the query that was
  /// added as the `query`-th there.
  void write(std::uint32_t query, std::uint32_t owner, Stretch* stretches);

 private:
  std::vector<std::uint32_t> drivers_;  ///< blocks
  std::vector<std::uint32_t> counts_;
  bool are_few_ = false;
};

/// Turns the counts of all parts of a batch, in the order of their queries, into places.
class StretchOrder {
 public:
  void clear() { totals_.clear(); }
  /// Counts a part in; first all of them.
  void add(const std::vector<std::uint32_t>& counts);
  /// All are counted in.
  void finish();
  /// Takes places for a part; then all of them, in order.
  void place(std::vector<std::uint32_t>& counts);

 private:
  std::vector<std::uint32_t> totals_;
};

}  // namespace warpdex::gpu
