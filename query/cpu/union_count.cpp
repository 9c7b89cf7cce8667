// Marks the windows' bits list by list, clears prohibited ones, and counts. The largest list is not
// marked where nothing is taken away: what it adds to the others is counted.
#include "cpu/union_count.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpdex {
namespace {

/// 8 KiB of bits, which fit the first-level cache beside a block.
constexpr std::uint32_t kWindow = 1U << 16;
/// So many documents, or fewer, are looked for in a block by vectors; others bit by bit.
constexpr std::uint32_t kFew = 12;

/// Bits for the documents from `begin` to `end`.
struct CountWindow {
  std::uint64_t* bits;
  std::uint32_t begin;
  std::uint32_t end;

  bool has(std::uint32_t bit) const { return (bits[bit / 64] >> bit % 64 & 1) != 0; }
  void set(std::uint32_t bit) const { bits[bit / 64] |= std::uint64_t{1} << bit % 64; }
  void clear(std::uint32_t bit) const { bits[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }

  /// Whether no bit from `first` to `last` is set; those of the words that both lie in count, too.
  bool has_none(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t any = 0;
    for (std::uint32_t word = first / 64; word <= last / 64; ++word) any |= bits[word];
    return any == 0;
  }

  /// The documents whose bits from `first` to `last` are set, if they are kFew or fewer; else
  /// kFew + 1. kFew of them are written.
  std::uint32_t few(std::uint32_t first, std::uint32_t last, std::uint32_t* documents) const {
    std::uint32_t found = 0;
    std::uint64_t kept = ~std::uint64_t{0} << first % 64;
    for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
      if (word == last / 64) kept &= ~std::uint64_t{0} >> (63 - last % 64);
      for (std::uint64_t left = bits[word] & kept; left != 0; left &= left - 1) {
        if (found == kFew) return kFew + 1;
        documents[found++] = begin + word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      }
      kept = ~std::uint64_t{0};
    }
    return found;
  }
};

std::uint32_t count_bits(const std::uint64_t* words, std::uint32_t bits) {
  return kernels().rank(reinterpret_cast<const std::uint8_t*>(words), bits);
}

/// Whether the list's current block lies in the window as a whole.
bool is_inside(const ListCursor& list, const CountWindow& window) {
  return list.position() == 0 && list.first_possible(list.block()) >= window.begin &&
         list.last_docid(list.block()) < window.end;
}

/// Calls visit(place, word) for the `width` bits from bit `place` of the window on, in its words.
template <class Visit>
void visit_words(const std::uint8_t* bytes, std::uint32_t place, std::uint32_t width, Visit visit) {
  std::uint32_t word = place / 64;
  const std::uint32_t shift = place % 64;
  std::uint64_t carried = 0;
  for (std::uint32_t done = 0; done < width; done += 64, bytes += 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    if (width - done < 64) bits &= (std::uint64_t{1} << (width - done)) - 1;
    visit(word++, bits << shift | carried);
    carried = shift == 0 ? 0 : bits >> (64 - shift);
  }
  if (carried != 0) visit(word, carried);
}

/// Calls visit(bit) for the documents of the current block that lie in the window. Returns whether
/// the list goes on in it; else it stands at the window's end.
template <class Visit>
bool visit_block(ListCursor& list, const CountWindow& window, Visit visit) {
  const std::uint32_t* const docids = list.docids();
  const std::uint32_t count = list.count();
  std::uint32_t i = list.position();
  for (; i < count && docids[i] < window.end; ++i) visit(docids[i] - window.begin);
  if (i < count) {
    list.seek(kernels(), window.end);
    return false;
  }
  list.next_block();
  return true;
}

/// Whether the list has a block that begins before the window's end.
bool has_block(const ListCursor& list, const CountWindow& window) {
  if (list.at_end() || list.first_possible(list.block()) >= window.end) return false;
  list.check_order();
  return true;
}

void mark(ListCursor& list, const CountWindow& window) {
  while (has_block(list, window)) {
    const std::uint8_t* const bytes = is_inside(list, window) ? list.bit_set() : nullptr;
    if (bytes == nullptr) {
      if (!visit_block(list, window, [&](std::uint32_t bit) { window.set(bit); })) return;
      continue;
    }
    const std::uint32_t first = list.first_possible(list.block());
    visit_words(bytes, first - window.begin, list.last_docid(list.block()) - first + 1,
                [&](std::uint32_t word, std::uint64_t bits) { window.bits[word] |= bits; });
    list.next_block();
  }
}

/// How many documents of the current block, a bit set, are not marked. It lies in the window.
std::uint64_t count_others_of_set(const ListCursor& list, const std::uint8_t* bytes,
                                  const CountWindow& window) {
  std::uint64_t others[kMaxBlockBytes / 8 + 3];  // at both ends, and what rank() may read
  std::uint32_t words = 0;
  const std::uint32_t first = list.first_possible(list.block());
  visit_words(
      bytes, first - window.begin, list.last_docid(list.block()) - first + 1,
      [&](std::uint32_t word, std::uint64_t bits) { others[words++] = bits & ~window.bits[word]; });
  return count_bits(others, words * 64);
}

/// The same of any block.
std::uint64_t count_others_of_block(ListCursor& list, const CountWindow& window) {
  const std::uint32_t first = list.first_possible(list.block()) - window.begin;
  const std::uint32_t last = list.last_docid(list.block()) - window.begin;
  if (!list.is_dense() && window.has_none(first, last)) return list.count();
  if (const std::uint8_t* const bytes = list.bit_set()) {
    return count_others_of_set(list, bytes, window);
  }
  std::uint32_t marked[kFew + 1];
  const std::uint32_t few = window.few(first, last, marked);
  std::uint32_t found = 0;
  if (few <= kFew) {
    std::uint8_t matched[kFew + 1];
    std::uint8_t positions[kFew + 1];
    found = static_cast<std::uint32_t>(
        kernels().intersect(marked, few, list.docids(), 0, matched, positions));
  } else {
    const std::uint32_t* const docids = list.docids();
    for (std::uint32_t i = 0; i < list.count(); ++i) {
      found += window.has(docids[i] - window.begin) ? 1 : 0;
    }
  }
  return list.count() - found;
}

/// How many documents of the list in the window are not marked.
std::uint64_t count_others(ListCursor& list, const CountWindow& window) {
  std::uint64_t others = 0;
  while (has_block(list, window)) {
    if (!is_inside(list, window)) {
      const auto count = [&](std::uint32_t bit) { others += window.has(bit) ? 0 : 1; };
      if (!visit_block(list, window, count)) return others;
      continue;
    }
    others += count_others_of_block(list, window);
    list.next_block();
  }
  return others;
}

void clear_removed(const CountWindow& window, std::span<const std::uint64_t> removed) {
  const std::size_t first = window.begin / 64;
  for (std::size_t i = 0; i < kWindow / 64 && first + i < removed.size(); ++i) {
    window.bits[i] &= ~removed[first + i];
  }
}

}  // namespace

std::uint64_t count_union(const SearchedSegment& segment, std::span<ListCursor* const> lists,
                          std::span<ListCursor* const> prohibited,
                          std::vector<std::uint64_t>& bitmap, SearchWatch* watch) {
  const std::uint64_t documents = segment.index->counts().documents;
  const bool takes_away = !prohibited.empty() || !segment.removed.none();
  ListCursor* const largest = takes_away || lists.empty()
                                  ? nullptr
                                  : *std::ranges::max_element(lists, {}, &ListCursor::size);
  bitmap.resize(kWindow / 64 + 1);  // rank() may read 8 bytes more
  std::uint64_t matches = 0;
  for (std::uint64_t begin = 0; begin < documents; begin += kWindow) {
    if (watch != nullptr && !watch->goes_on()) break;
    std::fill(bitmap.begin(), bitmap.end(), 0);
    const auto from = static_cast<std::uint32_t>(begin);
    const CountWindow window{bitmap.data(), from, from + kWindow};
    for (ListCursor* list : lists) {
      if (list != largest) mark(*list, window);
    }
    for (ListCursor* list : prohibited) {
      while (has_block(*list, window)) {
        if (!visit_block(*list, window, [&](std::uint32_t bit) { window.clear(bit); })) break;
      }
    }
    if (takes_away) clear_removed(window, segment.removed.words());
    matches += count_bits(window.bits, kWindow);
    if (largest != nullptr) matches += count_others(*largest, window);
  }
  return matches;
}

}  // namespace warpdex
