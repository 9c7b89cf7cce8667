// How many of what a batch's image holds, found out before it is written. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::gpu {

/// Of a batch, or of some of its queries; sums are those of what is below.
struct BatchShape {
  std::uint32_t queries = 0;  ///< with those that nothing runs for
  std::uint32_t lists = 0;
  std::uint32_t raw_lists = 0;       ///< of them
  std::uint32_t and_queries = 0;     ///< queries with required terms
  std::uint32_t second_queries = 0;  ///< likewise, that run only where the first found too few
  std::uint32_t or_queries = 0;
  std::uint32_t or_lists = 0;         ///< theirs
  std::uint32_t table_stretches = 0;  ///< of the lists of OR, of stretch_blocks or fewer each
  std::uint32_t and_stretches = 0;
  std::uint32_t second_stretches = 0;
  std::uint64_t postings = 0;  ///< of all queries' terms
  std::size_t or_blocks = 0;   ///< of all lists of OR, and so on
  std::size_t or_postings = 0;
  bool adds_up_only = true;   ///< OR looks nothing up
  bool has_fallback = false;  ///< OR of some query runs only if AND matched too little
  bool needs_rounds =
      false;  ///< of OR: tiles are to be added up, some queries are long, or it is asked for

  // Of a whole batch.
  std::uint32_t stretch_blocks = 0;  ///< kStretchBlocks or less
  std::uint32_t row_entries = 0;     ///< of the tile tables
  std::uint32_t tile_entries = 0;    ///< of the tables of queries and tiles

  /// Adds other queries.
  void add(const BatchShape& other) {
    queries += other.queries;
    lists += other.lists;
    raw_lists += other.raw_lists;
    and_queries += other.and_queries;
    second_queries += other.second_queries;
    or_queries += other.or_queries;
    or_lists += other.or_lists;
    table_stretches += other.table_stretches;
    and_stretches += other.and_stretches;
    second_stretches += other.second_stretches;
    postings += other.postings;
    or_blocks += other.or_blocks;
    or_postings += other.or_postings;
    adds_up_only &= other.adds_up_only;
    has_fallback |= other.has_fallback;
    needs_rounds |= other.needs_rounds;
  }
};

}  // namespace warpdex::gpu
