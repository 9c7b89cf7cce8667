// A term's list in a segment, as far as it does not depend on a query: where its postings are, and
// its live seeds. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/batch/live_seeds.hpp"
#include "gpu/layout/list_source.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/indexer/format/seeds.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// A term's list in one segment.
struct TermList {
  /// Its size is 0 if the segment lacks the term. A list that is decoded for its query has no place
  /// on the GPU yet; its postings start at word `first_block` of the `packed` memory beside it.
  ListSource source;
  std::array<LiveSeed, kSeedRanks.size()> seeds;  ///< by rank
  std::uint64_t occurrences;                      ///< the term's collection frequency here
};

/// The blocks of a list with this many postings.
inline std::uint32_t block_count(std::uint32_t postings) {
  return (postings + kBlockSize - 1) / kBlockSize;
}

/// Sums of the sizes of lists.
struct ListSums {
  std::uint32_t lists = 0;
  std::uint64_t postings = 0;
  std::uint64_t blocks = 0;
  std::uint32_t ranges = 0;        ///< of kRangeBlocks blocks or fewer
  std::uint32_t short_ranges = 0;  ///< of kShortRangeBlocks blocks or fewer
  std::uint32_t raw_lists = 0;     ///< decoded for their query

  void add(const ListSource& list) {
    const std::uint32_t own_blocks = block_count(list.size);
    ++lists;
    postings += list.size;
    blocks += own_blocks;
    ranges += (own_blocks + kRangeBlocks - 1) / kRangeBlocks;
    short_ranges += (own_blocks + kShortRangeBlocks - 1) / kShortRangeBlocks;
    if (list.flags & kPacked) ++raw_lists;
  }
  void add(const ListSums& other) {
    lists += other.lists;
    postings += other.postings;
    blocks += other.blocks;
    ranges += other.ranges;
    short_ranges += other.short_ranges;
    raw_lists += other.raw_lists;
  }
};

/// Describes the list at `entry` in `list`, which must be all zero. If the list is decoded for its
/// query, appends its postings to `packed`. Returns the term's collection frequency. Throws
/// FormatError for damage.
std::uint64_t describe_list(const PlacedIndex& index, const PostingsEntry& entry,
                            std::vector<std::uint32_t>& packed, ListSource& list);

/// The same for a term, with its seeds if they are wanted.
void describe_term(const PlacedIndex& index, const PlannedTerm& term, bool wants_seeds,
                   std::vector<std::uint32_t>& packed, TermList& list);

/// The largest frequency that a posting of a list can have.
inline std::uint64_t largest_frequency(std::uint32_t size, std::uint64_t occurrences) {
  return occurrences - size + 1;  // all other frequencies are 1 at least
}

}  // namespace warpdex::gpu
