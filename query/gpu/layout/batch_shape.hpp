// The sizes of a batch's image, which are known before it is written. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scorers/base/unit_form.hpp"
#include "warpdex/query/gpu/or_rules.hpp"

namespace warpdex::gpu {

/// Sizes of a batch, or of some of its queries.
struct BatchShape {
  std::uint32_t queries = 0;  ///< all, also those that no kernel runs for
  std::uint32_t lists = 0;
  std::uint32_t raw_lists = 0;      ///< among `lists`, decoded for their query
  std::uint32_t own_lists = 0;      ///< lists of terms without a row on the GPU, each once
  std::uint32_t own_raw_lists = 0;  ///< among these, decoded
  std::uint32_t entries = 0;        ///< EntrySources
  std::uint32_t uses = 0;           ///< ListUses
  std::uint32_t and_queries = 0;    ///< entries of AND
  std::uint32_t and_fallback_queries =
      0;                           ///< entries of AND that run only if the first found too few
  std::uint32_t or_queries = 0;    ///< entries of OR
  std::uint32_t or_states = 0;     ///< queries with such entries
  std::uint32_t or_lists = 0;      ///< lists of queries of OR
  std::uint32_t table_ranges = 0;  ///< block ranges of these, of range_blocks or fewer each
  std::uint32_t and_ranges = 0;
  std::uint32_t and_fallback_ranges = 0;
  std::uint64_t postings = 0;  ///< of all terms of all queries
  std::size_t or_blocks = 0;   ///< blocks of all lists of OR
  std::size_t or_postings = 0;
  std::uint32_t row_entries = 0;   ///< entries of a table by list and tile
  std::uint32_t tile_entries = 0;  ///< entries of a table by query and tile
  bool adds_up_only = true;        ///< OR makes no lookups
  bool has_fallback = false;       ///< some query's OR runs only if its AND matched too few
  bool some_add_up = false;        ///< some query of OR makes no lookups
  bool some_read_all = false;      ///< some query of OR counts its matches, or skips nothing
  std::uint32_t longest_or = 0;    ///< scoring lists of the longest query of OR
  bool are_huge = false;           ///< its queries have more than kMaxLists terms

  // Of a whole batch:
  std::uint32_t range_blocks = 0;  ///< kRangeBlocks or less
  std::uint32_t stored_rows = 0;   ///< lists that are decoded once for all queries
  std::uint32_t stored_blocks = 0;
  std::uint32_t stored_ranges = 0;
  std::uint32_t stored_marked = 0;  ///< how many of them, from the first on, may get bit sets
  OrRule stored_rule = OrRule::kNoneStoredFew;  ///< whether and how they are used
  UnitForm form = UnitForm::kBm25;              ///< of the scorer
  bool has_static = false;
  std::uint32_t segments = 1;
  bool sends_entries = false;  ///< EntrySources are sent; entries and lists are made on the GPU
  /// Entries before the first row of each table by tile, so that no row starts before the table.
  std::uint32_t row_shift = 0;

  bool stores_lists() const {
    return stored_rule >= OrRule::kSearchStored && stored_rule <= OrRule::kAddStoredAnswers;
  }
  /// Whether tiles are added up from such lists; else documents are looked up in them.
  bool adds_stored() const { return stores_lists() && stored_rule != OrRule::kSearchStored; }

  /// Adds the sizes of other queries.
  void add(const BatchShape& other) {
    queries += other.queries;
    lists += other.lists;
    raw_lists += other.raw_lists;
    own_lists += other.own_lists;
    own_raw_lists += other.own_raw_lists;
    entries += other.entries;
    uses += other.uses;
    and_queries += other.and_queries;
    and_fallback_queries += other.and_fallback_queries;
    or_queries += other.or_queries;
    or_states += other.or_states;
    or_lists += other.or_lists;
    table_ranges += other.table_ranges;
    and_ranges += other.and_ranges;
    and_fallback_ranges += other.and_fallback_ranges;
    postings += other.postings;
    or_blocks += other.or_blocks;
    or_postings += other.or_postings;
    row_entries += other.row_entries;
    tile_entries += other.tile_entries;
    adds_up_only &= other.adds_up_only;
    has_fallback |= other.has_fallback;
    some_add_up |= other.some_add_up;
    some_read_all |= other.some_read_all;
    longest_or = std::max(longest_or, other.longest_or);
    are_huge |= other.are_huge;
  }
};

}  // namespace warpdex::gpu
