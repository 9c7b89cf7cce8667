// Marks the windows' bits list by list, clears prohibited ones, and counts.
#include "cpu/union_count.hpp"

#include <algorithm>
#include <bit>

namespace warpdex {
namespace {

/// 8 KiB of bits, which fit the first-level cache beside a block.
constexpr std::uint32_t kWindow = 1U << 16;

/// Calls mark(bit) for the list's documents in [begin, end), as bits from begin on.
template <class Mark>
void visit_window(ListCursor& list, std::uint32_t begin, std::uint32_t end, Mark mark) {
  while (!list.at_end() && list.first_possible(list.block()) < end) {
    const std::uint32_t* const docids = list.docids();
    const std::uint32_t count = list.count();
    std::uint32_t i = list.position();
    for (; i < count && docids[i] < end; ++i) mark(docids[i] - begin);
    if (i < count) {
      list.seek(kernels(), end);
      return;
    }
    list.next_block();
  }
}

}  // namespace

std::uint64_t count_union(const SearchedSegment& segment, std::span<ListCursor* const> lists,
                          std::span<ListCursor* const> prohibited,
                          std::vector<std::uint64_t>& bitmap, SearchWatch* watch) {
  const std::uint64_t documents = segment.index->counts().documents;
  const std::span<const std::uint64_t> removed = segment.removed.words();
  bitmap.resize(kWindow / 64);
  std::uint64_t* const bits = bitmap.data();
  std::uint64_t matches = 0;
  for (std::uint64_t begin = 0; begin < documents; begin += kWindow) {
    if (watch != nullptr && !watch->goes_on()) break;
    std::fill(bitmap.begin(), bitmap.end(), 0);
    const auto from = static_cast<std::uint32_t>(begin);
    const std::uint32_t end = from + kWindow;
    for (ListCursor* list : lists) {
      visit_window(*list, from, end,
                   [bits](std::uint32_t bit) { bits[bit / 64] |= std::uint64_t{1} << bit % 64; });
    }
    for (ListCursor* list : prohibited) {
      visit_window(*list, from, end, [bits](std::uint32_t bit) {
        bits[bit / 64] &= ~(std::uint64_t{1} << bit % 64);
      });
    }
    const std::uint64_t first_word = begin / 64;
    for (std::uint64_t i = 0; first_word + i < removed.size() && i < bitmap.size(); ++i) {
      bitmap[i] &= ~removed[first_word + i];
    }
    for (const std::uint64_t word : bitmap) {
      matches += static_cast<std::uint64_t>(std::popcount(word));
    }
  }
  return matches;
}

}  // namespace warpdex
