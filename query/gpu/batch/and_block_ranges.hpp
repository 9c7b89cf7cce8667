// The work items of AND: block ranges of the queries' shortest required lists, in the order in
// which CTAs take them. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

/// Blocks of a query's shortest required list that one CTA of AND takes. In batches of few postings
/// there are fewer for a list that would else give work to few CTAs: each document of a chunk may
/// be in a different block of another list.
std::uint32_t and_range_blocks(std::uint32_t list_blocks, bool are_few);

/// The block ranges of some of a batch's queries. The first ranges of all queries come first,
/// then all second ones, and so on, so that the thresholds of all queries rise together. This is a
/// counting sort, O(ranges); different queries may be counted and written by different threads.
class AndBlockRanges {
 public:
  void clear();
  /// Adds a query whose driver has so many blocks.
  void add(std::uint32_t blocks) { drivers_.push_back(blocks); }

  /// Counts the ranges, once all queries are added; anew if they were counted. Returns their
  /// number.
  std::uint32_t count(bool are_few);
  /// By place: how many ranges have it.
  std::vector<std::uint32_t>& counts() { return counts_; }
  /// Writes the ranges of the query that was added as number `query`. counts() must have been
  /// turned into the place of the next range; each write advances it.
  void write(std::uint32_t query, std::uint32_t owner, BlockRange* ranges);

 private:
  std::vector<std::uint32_t> drivers_;  ///< blocks of each driver
  std::vector<std::uint32_t> counts_;
  bool are_few_ = false;
};

/// Turns the counts of all pieces of a batch, in the order of their queries, into places.
class BlockRangeOrder {
 public:
  void clear() { totals_.clear(); }
  /// Adds the counts of a piece. First for all pieces.
  void add(const std::vector<std::uint32_t>& counts);
  /// Then once.
  void finish();
  /// Turns the counts of a piece into places. Last, for all pieces in order.
  void place(std::vector<std::uint32_t>& counts);

 private:
  std::vector<std::uint32_t> totals_;
};

}  // namespace warpdex::gpu
