// The work items of AND: block ranges of the queries' shortest required lists, in the order in
// which CTAs take them. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

/// How many blocks of a query's shortest required list one CTA of AND takes. In batches of few
/// postings it takes fewer, so that short lists give work to more CTAs: each document of a chunk
/// may be in a different block of another list.
std::uint32_t and_range_blocks(std::uint32_t list_blocks, bool are_few);

/// The block ranges of some of a batch's queries. The first ranges of all queries come first, then
/// the second ones, and so on, so that the thresholds of all queries rise together. This is a
/// counting sort, O(ranges). Different threads may count and write different queries.
class AndBlockRanges {
 public:
  void clear();
  /// Adds a query whose driver (its shortest required list) has this many blocks.
  void add(std::uint32_t blocks) { drivers_.push_back(blocks); }

  /// Counts the ranges, once all queries are added. May be called again. Returns their number.
  std::uint32_t count(bool are_few);
  /// How many ranges have each place. The place of a range is the number of its group of kAndBlocks
  /// blocks in its driver.
  std::vector<std::uint32_t>& counts() { return counts_; }
  /// Writes the ranges of the query that was added as number `query`. counts() must have been
  /// turned into the place of the next range; each write advances it.
  void write(std::uint32_t query, std::uint32_t owner, BlockRange* ranges);

 private:
  std::vector<std::uint32_t> drivers_;  ///< blocks of each driver
  std::vector<std::uint32_t> counts_;
  bool are_few_ = false;
};

/// Turns the counts of all slices of a batch, in the order of their queries, into places.
class BlockRangeOrder {
 public:
  void clear() { totals_.clear(); }
  /// Step 1, for each slice: adds its counts.
  void add(const std::vector<std::uint32_t>& counts);
  /// Step 2, once.
  void finish();
  /// Step 3, for all slices in order: turns the slice's counts into places.
  void place(std::vector<std::uint32_t>& counts);

 private:
  std::vector<std::uint32_t> totals_;
};

}  // namespace warpdex::gpu
