// Counts keys segment by segment, and adds them up.
#include "warpdex/query/columns/facets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "columns/facet_totals.hpp"
#include "columns/find_column.hpp"
#include "columns/make_facet.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

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

/// By text.
FacetTotals<std::string_view> keywords_of(std::span<const ValueCounts> segments) {
  FacetTotals<std::string_view> totals;
  for (const ValueCounts& segment : segments) {
    segment.for_each([&](std::uint64_t key, const KeyCount& count) {
      add_count(totals, segment.column().text(key), count);
    });
  }
  return totals;
}

/// By key.
FacetTotals<std::uint64_t> numbers_of(std::span<const ValueCounts> segments) {
  FacetTotals<std::uint64_t> totals;
  for (const ValueCounts& segment : segments) {
    segment.for_each(
        [&](std::uint64_t key, const KeyCount& count) { add_count(totals, key, count); });
  }
  return totals;
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

/// The documents of all segments with a value of the range.
std::uint64_t count_range(const Snapshot& snapshot, std::span<const ValueCounts> segments,
                          const FacetRange& range, const vector::RowFilter* documents) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const ColumnView& column = segments[i].column();
    count += column.form() == ColumnForm::kSeveral
                 ? count_range(snapshot.segments()[i], column, range, *documents)
                 : count_range(segments[i], range);
  }
  return count;
}

std::vector<ValueCounts> counts_of(const Snapshot& snapshot, std::size_t place,
                                   const vector::RowFilter& documents) {
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
  return segments;
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
  if (field.type != FieldType::kKeyword) {
    take_numbers(numbers_of(segments), field, wanted, facet);
  } else if (segments.size() == 1) {
    take_keywords(segments[0], wanted, facet);
  } else {
    take_keywords(keywords_of(segments), wanted, facet);
  }
  for (const FacetRange& range : wanted.ranges) {
    facet.ranges.push_back({range, count_range(snapshot, segments, range, documents)});
  }
  return facet;
}

Facet count_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                  const vector::RowFilter& documents) {
  const std::size_t place = check_facet(snapshot, wanted);
  return make_facet(snapshot, wanted, counts_of(snapshot, place, documents), &documents);
}

PartFacet count_part_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                           const vector::RowFilter& documents) {
  const std::size_t place = check_facet(snapshot, wanted);
  const std::vector<ValueCounts> segments = counts_of(snapshot, place, documents);
  PartFacet facet;
  for (const ValueCounts& segment : segments) facet.documents += segment.documents();
  if (columns_of(snapshot.settings().schema)[place].type == FieldType::kKeyword) {
    for (const auto& [text, count] : sorted_totals(keywords_of(segments))) {
      facet.texts.push_back({std::string(text), count});
    }
  } else {
    for (const auto& [key, count] : sorted_totals(numbers_of(segments))) {
      facet.numbers.push_back({key, count});
    }
  }
  for (const FacetRange& range : wanted.ranges) {
    facet.ranges.push_back(count_range(snapshot, segments, range, &documents));
  }
  return facet;
}

}  // namespace warpdex
