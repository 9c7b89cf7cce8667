// Compares packed values as they lie, 64 at a time, in loops that compilers turn into vectors.
#include "filter/column_match.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using FilterWords = std::vector<std::uint64_t>;

/// A word with bit i set where flags[i], 0 or 1, is.
std::uint64_t pack_flags(const std::array<std::uint8_t, 64>& flags) {
  constexpr std::uint64_t kGather = 0x0102040810204080;  // the lowest bits of 8 bytes to the top 8
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, flags.data() + 8 * i, 8);
    word |= (eight * kGather >> 56) << 8 * i;
  }
  return word;
}

/// Sets the bits of values from `first` to first + `span`.
template <class T>
void mark_range(const T* values, std::uint64_t count, T first, T span, FilterWords& words) {
  std::array<std::uint8_t, 64> flags{};
  for (std::uint64_t begin = 0; begin < count; begin += 64) {
    const auto size = static_cast<unsigned>(std::min<std::uint64_t>(64, count - begin));
    const T* const some = values + begin;
    if (size < 64) flags.fill(0);
    for (unsigned i = 0; i < size; ++i) flags[i] = static_cast<T>(some[i] - first) <= span ? 1 : 0;
    words[begin / 64] |= pack_flags(flags);
  }
}

/// The packed values of a column of 1, 2 or 4 bits, 64 at a time.
template <class Visit>
void for_each_64(const ColumnView& column, const Visit& visit) {
  std::array<std::uint8_t, 64> values{};
  const std::uint64_t count = column.header().values;
  for (std::uint64_t begin = 0; begin < count; begin += 64) {
    const std::uint64_t size = std::min<std::uint64_t>(64, count - begin);
    for (std::uint64_t i = 0; i < size; ++i) {
      values[i] = static_cast<std::uint8_t>(column.packed(begin + i));
    }
    visit(begin, values.data(), size);
  }
}

template <class T>
void mark_wide(const ColumnView& column, KeyRange packed, FilterWords& words) {
  const auto* const values = reinterpret_cast<const T*>(column.packed_bytes().data());
  mark_range<T>(values, column.header().values, static_cast<T>(packed.first),
                static_cast<T>(packed.last - packed.first), words);
}

/// Marks slots, by a range of packed values that has some of the width.
void mark_slots(const ColumnView& column, KeyRange packed, FilterWords& slots) {
  switch (column.header().width) {
    case 8: return mark_wide<std::uint8_t>(column, packed, slots);
    case 16: return mark_wide<std::uint16_t>(column, packed, slots);
    case 32: return mark_wide<std::uint32_t>(column, packed, slots);
    case 64: return mark_wide<std::uint64_t>(column, packed, slots);
    default: break;
  }
  for_each_64(column, [&](std::uint64_t begin, const std::uint8_t* values, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool fits = values[i] >= packed.first && values[i] <= packed.last;
      slots[begin / 64] |= static_cast<std::uint64_t>(fits) << i;
    }
  });
}

/// The same by many ranges: a table of values where these are few, else by binary search.
void mark_slots(const ColumnView& column, const std::vector<KeyRange>& packed, FilterWords& slots) {
  constexpr std::uint32_t kTableBits = 16;
  const std::uint64_t count = column.header().values;
  std::vector<std::uint8_t> table;
  if (column.header().width <= kTableBits) {
    table.resize(std::size_t{1} << column.header().width);
    for (const KeyRange& range : packed) {
      std::fill(table.begin() + static_cast<std::ptrdiff_t>(range.first),
                table.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, std::uint8_t{1});
    }
  }
  const auto fits = [&](std::uint64_t value) {
    if (!table.empty()) return table[value] != 0;
    const auto next = std::ranges::lower_bound(packed, value, {}, &KeyRange::last);
    return next != packed.end() && next->first <= value;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    slots[i / 64] |= static_cast<std::uint64_t>(fits(column.packed(i))) << i % 64;
  }
}

/// Ranges of keys as ranges of packed values, without those that no value can be in.
std::vector<KeyRange> packed_ranges(const ColumnView& column, const std::vector<KeyRange>& ranges) {
  const ColumnHeader& header = column.header();
  const std::uint64_t most =
      header.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << header.width) - 1;
  std::vector<KeyRange> packed;
  for (const KeyRange& range : ranges) {
    if (range.last < header.base || header.step == 0) continue;
    const std::uint64_t above = range.first > header.base ? range.first - header.base : 0;
    const std::uint64_t first = above / header.step + (above % header.step == 0 ? 0 : 1);
    const std::uint64_t last = std::min(most, (range.last - header.base) / header.step);
    if (first <= last) packed.push_back({first, last});
  }
  return packed;
}

std::uint64_t words_of(std::uint64_t bits) { return (bits + 63) / 64; }

/// Documents with a marked slot.
FilterWords documents_of_slots(const ColumnView& column, const FilterWords& slots) {
  FilterWords words(words_of(column.documents()));
  for (std::uint64_t document = 0; document < column.documents(); ++document) {
    const ColumnView::Slots own = column.slots(document);
    bool fits = false;
    for (std::uint64_t slot = own.begin; slot < own.end && !fits; ++slot) {
      fits = (slots[slot / 64] >> slot % 64 & 1) != 0;
    }
    words[document / 64] |= static_cast<std::uint64_t>(fits) << document % 64;
  }
  return words;
}

}  // namespace

std::vector<std::uint64_t> match_keys(const ColumnView& column,
                                      const std::vector<KeyRange>& ranges) {
  const std::vector<KeyRange> packed = packed_ranges(column, ranges);
  if (packed.empty()) return FilterWords(words_of(column.documents()));
  FilterWords slots(words_of(column.header().values));
  if (packed.size() == 1) {
    mark_slots(column, packed[0], slots);
  } else {
    mark_slots(column, packed, slots);
  }
  if (column.form() == ColumnForm::kSeveral) return documents_of_slots(column, slots);
  const auto present = column.present();
  for (std::size_t i = 0; i < present.size(); ++i) slots[i] &= present[i];
  return slots;
}

std::vector<std::uint64_t> match_present(const ColumnView& column) {
  FilterWords words(words_of(column.documents()));
  switch (column.form()) {
    case ColumnForm::kOne:
      for (std::uint64_t i = 0; i < column.documents(); ++i) {
        words[i / 64] |= std::uint64_t{1} << i % 64;
      }
      break;
    case ColumnForm::kSome: std::ranges::copy(column.present(), words.begin()); break;
    case ColumnForm::kSeveral:
      for (std::uint64_t i = 0; i < column.documents(); ++i) {
        words[i / 64] |= static_cast<std::uint64_t>(column.slots(i).size() > 0) << i % 64;
      }
  }
  return words;
}

}  // namespace warpdex
