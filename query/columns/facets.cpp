// Counts keys segment by segment, and adds them up.
#include "warpdex/query/columns/facets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "columns/find_column.hpp"
#include "columns/make_facet.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

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

/// The first `wanted` values by documents, equal ones in their order.
template <class Name>
class TopValues {
 public:
  explicit TopValues(std::size_t wanted) : wanted_(wanted) {}

  void add(const Name& name, std::uint64_t documents) {
    const Value value{name, documents};
    if (top_.size() == wanted_) {
      if (top_.empty() || !is_before(value, top_.front())) return;
      std::ranges::pop_heap(top_, is_before);
      top_.pop_back();
    }
    top_.push_back(value);
    std::ranges::push_heap(top_, is_before);
  }
  /// In order. Once.
  std::vector<std::pair<Name, std::uint64_t>> take() {
    std::ranges::sort_heap(top_, is_before);
    return std::move(top_);
  }

 private:
  using Value = std::pair<Name, std::uint64_t>;
  static bool is_before(const Value& one, const Value& other) {
    if (one.second != other.second) return one.second > other.second;
    return one.first < other.first;
  }

  std::size_t wanted_;
  std::vector<Value> top_;  ///< a heap: the last in order first
};

template <class Name>
std::vector<std::pair<Name, KeyCount>> sorted_of(const Totals<Name>& totals) {
  std::vector<std::pair<Name, KeyCount>> sorted(totals.begin(), totals.end());
  std::ranges::sort(sorted, {}, &std::pair<Name, KeyCount>::first);
  return sorted;
}

/// The keys of one segment are in the order of their texts.
void take_keywords(const ValueCounts& segment, const FacetRequest& wanted, Facet& facet) {
  TopValues<std::uint64_t> top(wanted.values);
  segment.for_each([&](std::uint64_t key, const KeyCount& count) {
    top.add(key, count.documents);
    facet.values += count.values;
    ++facet.distinct;
  });
  for (const auto& [key, documents] : top.take()) {
    facet.top.push_back({std::string(segment.column().text(key)), documents});
  }
}

void take_keywords(std::span<const ValueCounts> segments, const FacetRequest& wanted,
                   Facet& facet) {
  if (segments.size() == 1) return take_keywords(segments[0], wanted, facet);
  Totals<std::string_view> totals;
  for (const ValueCounts& segment : segments) {
    segment.for_each([&](std::uint64_t key, const KeyCount& count) {
      KeyCount& total = totals[segment.column().text(key)];
      total.documents += count.documents;
      total.values += count.values;
    });
  }
  facet.distinct = totals.size();
  TopValues<std::string_view> top(wanted.values);
  for (const auto& [text, count] : totals) {
    top.add(text, count.documents);
    facet.values += count.values;
  }
  for (const auto& [text, documents] : top.take()) {
    facet.top.push_back({std::string(text), documents});
  }
}

void take_numbers(std::span<const ValueCounts> segments, const Field& field,
                  const FacetRequest& wanted, Facet& facet) {
  Totals<std::uint64_t> totals;
  for (const ValueCounts& segment : segments) {
    segment.for_each([&](std::uint64_t key, const KeyCount& count) {
      KeyCount& total = totals[key];
      total.documents += count.documents;
      total.values += count.values;
    });
  }
  const auto sorted = sorted_of(totals);
  TopValues<std::uint64_t> top(wanted.values);
  facet.distinct = sorted.size();
  for (const auto& [key, count] : sorted) {
    top.add(key, count.documents);
    facet.values += count.values;
  }
  add_numbers(field, sorted, facet);
  for (const auto& [key, documents] : top.take()) {
    const FieldValue value = field.type == FieldType::kFloat  ? FieldValue(float_of_key(key))
                             : field.type == FieldType::kBool ? FieldValue(key != 0)
                                                              : FieldValue(int_of_key(key));
    facet.top.push_back({value_text(field, value), documents});
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

/// The keys of a range, from the first to the last; none where the first is larger.
struct Keys {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  bool contain(std::uint64_t key) const { return key >= first && key <= last; }
};

Keys keys_of(const ColumnView& column, const FacetRange& range) {
  const Field& field = column.field();
  const auto key_at = [&](const std::string& text) {
    return field.type == FieldType::kKeyword ? column.lower_bound(text)
                                             : key_of(value_of_text(field, text));
  };
  Keys keys;
  if (!range.from.empty()) keys.first = key_at(range.from);
  if (range.to.empty()) return keys;
  const std::uint64_t end = key_at(range.to);
  if (end == 0) return {1, 0};
  keys.last = end - 1;
  return keys;
}

/// A document with several values counts once in a range.
std::uint64_t count_range(const Snapshot::Segment& segment, const ColumnView& column,
                          const FacetRange& range, const vector::RowFilter& documents) {
  const Keys keys = keys_of(column, range);
  std::uint64_t count = 0;
  for_each_of(segment, documents, [&](std::uint64_t document) {
    const ColumnView::Slots slots = column.slots(document);
    for (std::uint64_t slot = slots.begin; slot < slots.end; ++slot) {
      if (!keys.contain(column.key(slot))) continue;
      ++count;
      break;
    }
  });
  return count;
}

/// Of a column in which no document has several values.
std::uint64_t count_range(const ValueCounts& segment, const FacetRange& range) {
  const Keys keys = keys_of(segment.column(), range);
  std::uint64_t count = 0;
  segment.for_each([&](std::uint64_t key, const KeyCount& of_key) {
    if (keys.contain(key)) count += of_key.documents;
  });
  return count;
}

}  // namespace

std::size_t check_facet(const Snapshot& snapshot, const FacetRequest& wanted) {
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
  return place;
}

Facet make_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                 std::span<const ValueCounts> segments, const vector::RowFilter* documents) {
  const std::size_t place = find_column(snapshot, wanted.column);
  const Field field = columns_of(snapshot.settings().schema)[place];
  Facet facet{.column = wanted.column};
  for (const ValueCounts& segment : segments) facet.documents += segment.documents();
  if (field.type == FieldType::kKeyword) {
    take_keywords(segments, wanted, facet);
  } else {
    take_numbers(segments, field, wanted, facet);
  }
  for (const FacetRange& range : wanted.ranges) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const ColumnView& column = segments[i].column();
      count += column.form() == ColumnForm::kSeveral
                   ? count_range(snapshot.segments()[i], column, range, *documents)
                   : count_range(segments[i], range);
    }
    facet.ranges.push_back({range, count});
  }
  return facet;
}

Facet count_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                  const vector::RowFilter& documents) {
  const std::size_t place = check_facet(snapshot, wanted);
  std::vector<ValueCounts> segments;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const ColumnView& column = segment.index->columns()[place];
    ValueCounts& counted = segments.emplace_back(column);
    if (column.form() == ColumnForm::kOne) {
      for_each_of(segment, documents, [&](std::uint64_t document) { counted.add_one(document); });
    } else {
      for_each_of(segment, documents, [&](std::uint64_t document) { counted.add(document); });
    }
  }
  return make_facet(snapshot, wanted, segments, &documents);
}

}  // namespace warpdex
