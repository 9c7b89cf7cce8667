// The part of a list in a window, and of a window in a list. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tree/tree_clause.hpp"

namespace warpdex {

/// Whether one of the documents from `first` to `last` is among those of the window.
inline bool has_any(const WindowBits& within, const TreeWindow& window, std::uint32_t first,
                    std::uint32_t last) {
  const std::uint32_t begin = std::max(first, window.begin) - window.begin;
  const std::uint32_t end = std::min(last, window.end - 1) - window.begin;
  if (end < begin) return true;  // a damaged list, which its reader finds
  if (begin / 64 == end / 64) {
    return (within[begin / 64] >> begin % 64 & (~std::uint64_t{0} >> (63 - (end - begin)))) != 0;
  }
  if (within[begin / 64] >> begin % 64 != 0) return true;
  for (std::uint32_t word = begin / 64 + 1; word < end / 64; ++word) {
    if (within[word] != 0) return true;
  }
  return (within[end / 64] & (~std::uint64_t{0} >> (63 - end % 64))) != 0;
}

/// Calls visit(begin, end) for the places of a list's postings in a window, block by block; blocks
/// of which is_passed(block) holds are not decoded.
template <class IsPassed, class Visit>
void for_each_part(ListCursor& list, const Kernels& kernels, const TreeWindow& window,
                   const IsPassed& is_passed, const Visit& visit) {
  list.skip_to_block(window.begin);
  while (!list.at_end() && list.first_possible(list.block()) < window.end) {
    const bool ends_inside = list.last_docid(list.block()) < window.end;
    if (!is_passed(list.block())) {
      const std::uint32_t begin = list.seek(kernels, window.begin);
      const std::uint32_t end = ends_inside ? list.count() : list.seek(kernels, window.end);
      if (begin < end) visit(begin, end);
    }
    if (!ends_inside) break;
    list.next_block();
    list.check_order();
  }
}

template <class Visit>
void for_each_part(ListCursor& list, const Kernels& kernels, const TreeWindow& window,
                   const Visit& visit) {
  for_each_part(
      list, kernels, window, [](std::uint32_t) { return false; }, visit);
}

}  // namespace warpdex
