// Counts the documents that match an OR: a bitmap for each window of docIDs, no scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/searched_segment.hpp"
#include "warpdex/query/cpu/search_watch.hpp"

namespace warpdex {

/// Live documents that hold one of `lists` and none of `prohibited`. All cursors are at their
/// start. O(postings); `bitmap` is scratch memory. Once `watch` (null: none) stops it, it returns
/// what it has counted.
std::uint64_t count_union(const SearchedSegment& segment, std::span<ListCursor* const> lists,
                          std::span<ListCursor* const> prohibited,
                          std::vector<std::uint64_t>& bitmap, SearchWatch* watch);

}  // namespace warpdex
