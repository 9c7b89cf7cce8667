// The part of a list in a window. Internal.
#pragma once

#include <cstdint>

#include "tree/tree_clause.hpp"

namespace warpdex {

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
