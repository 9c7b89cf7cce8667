// Counts keys segment by segment: by a table where a column has few packed values, else by a map.
#include "warpdex/query/columns/facets.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "columns/find_column.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

/// Packed values of so many are counted by a table.
constexpr std::uint64_t kMaxTable = std::uint64_t{1} << 22;

/// A key, and the documents and values that have it.
struct KeyCount {
  std::uint64_t documents = 0;
  std::uint64_t values = 0;
};

/// What is counted of one segment.
class SegmentFacet {
 public:
  explicit SegmentFacet(const ColumnView& column) : column_(column) {
    const ColumnHeader& header = column.header();
    const std::uint64_t most =
        header.width >= 22 ? kMaxTable + 1 : std::uint64_t{1} << header.width;
    const std::uint64_t distinct =
        column.field().type == FieldType::kKeyword ? header.distinct : most;
    if (distinct <= kMaxTable && distinct <= 64 + 4 * header.values) {
      table_.resize(std::max<std::uint64_t>(distinct, 1));
    }
  }

  void add(std::uint64_t document) {
    const ColumnView::Slots slots = column_.slots(document);
    if (slots.size() == 0) return;
    ++documents_;
    std::uint64_t before = 0;
    for (std::uint64_t slot = slots.begin; slot < slots.end; ++slot) {
      const std::uint64_t packed = column_.packed(slot);
      KeyCount& count = count_of(packed);
      ++count.values;
      count.documents += slot == slots.begin || packed != before ? 1 : 0;
      before = packed;
    }
  }

  /// Of a column in which each document has one value.
  void add_one(std::uint64_t document) {
    ++documents_;
    KeyCount& count = count_of(column_.packed(document));
    ++count.values;
    ++count.documents;
  }

  std::uint64_t documents() const { return documents_; }
  /// Calls visit(key, count) for each key that documents have.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto key = [&](std::uint64_t packed) {
      return column_.header().base + column_.header().step * packed;
    };
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_[i].values > 0) visit(key(i), table_[i]);
    }
    for (const auto& [packed, count] : map_) visit(key(packed), count);
  }

 private:
  KeyCount& count_of(std::uint64_t packed) {
    return packed < table_.size() ? table_[packed] : map_[packed];
  }

  const ColumnView& column_;
  std::vector<KeyCount> table_;
  std::unordered_map<std::uint64_t, KeyCount> map_;
  std::uint64_t documents_ = 0;
};

/// Value by value, in all segments: keywords by their texts, others by their keys.
template <class Name>
using Totals = std::unordered_map<Name, KeyCount>;

double number_of(const Field& field, std::uint64_t key) {
  if (field.type == FieldType::kFloat) return float_of_key(key);
  return field.type == FieldType::kBool ? static_cast<double>(key)
                                        : static_cast<double>(int_of_key(key));
}

/// Adds up all numbers; whole ones exactly.
void add_numbers(const Field& field, const std::vector<std::pair<std::uint64_t, KeyCount>>& sorted,
                 Facet& facet) {
  if (sorted.empty() || field.type == FieldType::kKeyword) return;
  facet.min = number_of(field, sorted.front().first);
  facet.max = number_of(field, sorted.back().first);
  __int128 whole = 0;
  for (const auto& [key, count] : sorted) {
    if (field.type == FieldType::kFloat) {
      facet.sum += float_of_key(key) * static_cast<double>(count.values);
    } else {
      const std::int64_t number =
          field.type == FieldType::kBool ? static_cast<std::int64_t>(key) : int_of_key(key);
      whole += static_cast<__int128>(number) * static_cast<__int128>(count.values);
    }
  }
  if (field.type != FieldType::kFloat) facet.sum = static_cast<double>(whole);
}

/// The first `wanted` by documents, equal ones in their order.
template <class Name>
std::vector<std::pair<Name, KeyCount>> top_of(std::vector<std::pair<Name, KeyCount>> sorted,
                                              std::size_t wanted) {
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, sorted.size()));
  std::partial_sort(sorted.begin(), middle, sorted.end(), [](const auto& a, const auto& b) {
    if (a.second.documents != b.second.documents) return a.second.documents > b.second.documents;
    return a.first < b.first;
  });
  sorted.erase(middle, sorted.end());
  return sorted;
}

template <class Name>
std::vector<std::pair<Name, KeyCount>> sorted_of(const Totals<Name>& totals) {
  std::vector<std::pair<Name, KeyCount>> sorted(totals.begin(), totals.end());
  std::ranges::sort(sorted, {}, &std::pair<Name, KeyCount>::first);
  return sorted;
}

/// The keys of one segment are in the order of their texts.
void take_keywords(const ColumnView& column, const SegmentFacet& segment,
                   const FacetRequest& wanted, Facet& facet) {
  std::vector<std::pair<std::uint64_t, KeyCount>> all;
  segment.for_each([&](std::uint64_t key, const KeyCount& count) {
    all.emplace_back(key, count);
    facet.values += count.values;
  });
  facet.distinct = all.size();
  for (const auto& [key, count] : top_of(std::move(all), wanted.values)) {
    facet.top.push_back({std::string(column.text(key)), count.documents});
  }
}

void take_keywords(const std::vector<std::pair<const ColumnView*, SegmentFacet>>& segments,
                   const FacetRequest& wanted, Facet& facet) {
  if (segments.size() == 1) {
    return take_keywords(*segments[0].first, segments[0].second, wanted, facet);
  }
  Totals<std::string_view> totals;
  for (const auto& [column, segment] : segments) {
    segment.for_each([&, view = column](std::uint64_t key, const KeyCount& count) {
      KeyCount& total = totals[view->text(key)];
      total.documents += count.documents;
      total.values += count.values;
    });
  }
  facet.distinct = totals.size();
  std::vector<std::pair<std::string_view, KeyCount>> all(totals.begin(), totals.end());
  for (const auto& [text, count] : all) facet.values += count.values;
  for (const auto& [text, count] : top_of(std::move(all), wanted.values)) {
    facet.top.push_back({std::string(text), count.documents});
  }
}

void take_numbers(const std::vector<std::pair<const ColumnView*, SegmentFacet>>& segments,
                  const Field& field, const FacetRequest& wanted, Facet& facet) {
  Totals<std::uint64_t> totals;
  for (const auto& [column, segment] : segments) {
    segment.for_each([&](std::uint64_t key, const KeyCount& count) {
      KeyCount& total = totals[key];
      total.documents += count.documents;
      total.values += count.values;
    });
  }
  auto sorted = sorted_of(totals);
  facet.distinct = sorted.size();
  for (const auto& [key, count] : sorted) facet.values += count.values;
  add_numbers(field, sorted, facet);
  for (const auto& [key, count] : top_of(std::move(sorted), wanted.values)) {
    const FieldValue value = field.type == FieldType::kFloat  ? FieldValue(float_of_key(key))
                             : field.type == FieldType::kBool ? FieldValue(key != 0)
                                                              : FieldValue(int_of_key(key));
    facet.top.push_back({value_text(field, value), count.documents});
  }
}

/// Calls visit(document) for the documents of a segment that are among `documents`, in order.
template <class Visit>
void for_each_of(const Snapshot::Segment& segment, const vector::RowFilter& documents,
                 const Visit& visit) {
  const std::uint64_t count = segment.index->counts().documents;
  const bool is_all = segment.first_document == 0 && documents.rows() == count;
  const vector::RowFilter own =
      is_all ? vector::RowFilter(0) : documents.slice(segment.first_document, count);
  const std::span<const std::uint64_t> words = is_all ? documents.words() : own.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
      visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

/// A document with several values counts once in a range.
std::uint64_t count_range(const Snapshot& snapshot, std::size_t place, const FacetRange& range,
                          const vector::RowFilter& documents) {
  std::uint64_t count = 0;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const ColumnView& column = segment.index->columns()[place];
    const Field& field = column.field();
    const bool is_keyword = field.type == FieldType::kKeyword;
    const auto key_at = [&](const std::string& text) {
      return is_keyword ? column.lower_bound(text) : key_of(value_of_text(field, text));
    };
    const std::uint64_t from = range.from.empty() ? 0 : key_at(range.from);
    const std::uint64_t to = range.to.empty() ? 0 : key_at(range.to);
    for_each_of(segment, documents, [&](std::uint64_t document) {
      const ColumnView::Slots slots = column.slots(document);
      for (std::uint64_t slot = slots.begin; slot < slots.end; ++slot) {
        const std::uint64_t key = column.key(slot);
        if (key < from || (!range.to.empty() && key >= to)) continue;
        ++count;
        break;
      }
    });
  }
  return count;
}

}  // namespace

Facet count_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                  const vector::RowFilter& documents) {
  const std::size_t place = find_column(snapshot, wanted.column);
  const Field field = columns_of(snapshot.settings().schema)[place];
  if (wanted.ranges.size() > kMaxFacetRanges) {
    throw UsageError("the facet '" + wanted.column + "' has more than " +
                     std::to_string(kMaxFacetRanges) + " ranges");
  }
  for (const FacetRange& range : wanted.ranges) {
    for (const std::string& limit : {range.from, range.to}) {
      if (!limit.empty()) value_of_text(field, limit);
    }
  }
  Facet facet{.column = wanted.column};
  std::vector<std::pair<const ColumnView*, SegmentFacet>> segments;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const ColumnView& column = segment.index->columns()[place];
    SegmentFacet counted(column);
    if (column.form() == ColumnForm::kOne) {
      for_each_of(segment, documents, [&](std::uint64_t document) { counted.add_one(document); });
    } else {
      for_each_of(segment, documents, [&](std::uint64_t document) { counted.add(document); });
    }
    facet.documents += counted.documents();
    segments.emplace_back(&column, std::move(counted));
  }
  if (field.type == FieldType::kKeyword) {
    take_keywords(segments, wanted, facet);
  } else {
    take_numbers(segments, field, wanted, facet);
  }
  for (const FacetRange& range : wanted.ranges) {
    facet.ranges.push_back({range, count_range(snapshot, place, range, documents)});
  }
  return facet;
}

}  // namespace warpdex
