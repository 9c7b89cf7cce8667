// Counts the documents that match an OR: a bitmap for each window of docIDs, no scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/searched_segment.hpp"
#include "warpdex/query/cpu/search_watch.hpp"

namespace warpdex {

/// The number of live documents that are in one of `lists` and in none of `prohibited`. All cursors
/// must be at their start. O(postings); `bitmap` is scratch memory. If `watch` (null: none) stops
/// it, it returns the number so far.
std::uint64_t count_union(const SearchedSegment& segment, std::span<ListCursor* const> lists,
                          std::span<ListCursor* const> prohibited,
                          std::vector<std::uint64_t>& bitmap, SearchWatch* watch);

}  // namespace warpdex
