// Evaluates filters segment by segment, clause by clause.
#include "warpdex/query/filter/document_filter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "filter/column_match.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kIdField = "id";
constexpr std::uint64_t kMaxKey = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void fail_clause(const FilterNode& filter, const std::string& what) {
  throw InputError("the filter, at byte " + std::to_string(filter.place) + ": " + what);
}

std::string names_of(const std::vector<Field>& columns) {
  std::string names;
  for (const Field& field : columns) names += (names.empty() ? "" : ", ") + field.name;
  return names.empty() ? "the index has no columns" : "the index has the columns " + names;
}

void check_clause(const FilterNode& filter, const std::vector<Field>& columns) {
  for (const FilterNode& clause : filter.clauses) check_clause(clause, columns);
  if (filter.field.empty()) return;
  if (filter.field == kIdField) {
    if (filter.kind != FilterNode::Kind::kRange) return;
    fail_clause(filter, "ids have no ranges; take = or IN");
  }
  const auto field = std::ranges::find(columns, filter.field, &Field::name);
  if (field == columns.end()) {
    fail_clause(filter, "there is no column '" + filter.field + "'; " + names_of(columns));
  }
  for (const std::string& value : filter.values) {
    if (filter.kind == FilterNode::Kind::kRange && value.empty()) continue;
    try {
      value_of_text(*field, value);
    } catch (const InputError& error) {
      fail_clause(filter, error.what());
    }
  }
}

/// The condition in one segment.
class SegmentFilter {
 public:
  explicit SegmentFilter(const Snapshot::Segment& segment)
      : index_(*segment.index), documents_(index_.counts().documents) {}

  std::vector<std::uint64_t> match(const FilterNode& filter) const {
    using Kind = FilterNode::Kind;
    switch (filter.kind) {
      case Kind::kAll: return all();
      case Kind::kNot: return complement(match(filter.clauses[0]));
      case Kind::kAnd:
      case Kind::kOr: return joined(filter);
      case Kind::kIn:
      case Kind::kRange:
      case Kind::kExists: break;
    }
    if (filter.field == kIdField) return filter.kind == Kind::kExists ? all() : of_ids(filter);
    const ColumnView& column = column_of(filter);
    if (filter.kind == Kind::kExists) return match_present(column);
    return match_keys(
        column, filter.kind == Kind::kRange ? range_of(column, filter) : keys_of(column, filter));
  }

 private:
  using Words = std::vector<std::uint64_t>;

  Words all() const { return complement(Words((documents_ + 63) / 64)); }
  /// Bits past the last document stay 0.
  Words complement(Words words) const {
    for (std::uint64_t& word : words) word = ~word;
    if (documents_ % 64 != 0) words.back() &= (std::uint64_t{1} << documents_ % 64) - 1;
    return words;
  }
  Words joined(const FilterNode& filter) const {
    Words words = match(filter.clauses[0]);
    for (std::size_t i = 1; i < filter.clauses.size(); ++i) {
      const Words more = match(filter.clauses[i]);
      for (std::size_t w = 0; w < words.size(); ++w) {
        words[w] = filter.kind == FilterNode::Kind::kAnd ? words[w] & more[w] : words[w] | more[w];
      }
    }
    return words;
  }
  Words of_ids(const FilterNode& filter) const {
    Words words((documents_ + 63) / 64);
    for (const std::string& id : filter.values) {
      const auto document = index_.find_document(id);
      if (document) words[*document / 64] |= std::uint64_t{1} << *document % 64;
    }
    return words;
  }
  const ColumnView& column_of(const FilterNode& filter) const {
    return *std::ranges::find_if(index_.columns(), [&](const ColumnView& column) {
      return column.field().name == filter.field;
    });
  }

  /// The keys of the values, ascending; neighbours joined.
  static std::vector<KeyRange> keys_of(const ColumnView& column, const FilterNode& filter) {
    std::vector<std::uint64_t> keys;
    for (const std::string& value : filter.values) {
      if (column.field().type != FieldType::kKeyword) {
        keys.push_back(key_of(value_of_text(column.field(), value)));
        continue;
      }
      const std::uint64_t ordinal = column.lower_bound(value);
      if (ordinal < column.header().distinct && column.text(ordinal) == value) {
        keys.push_back(ordinal);
      }
    }
    std::ranges::sort(keys);
    std::vector<KeyRange> ranges;
    for (const std::uint64_t key : keys) {
      if (!ranges.empty() && key - ranges.back().last <= 1) {
        ranges.back().last = key;
      } else {
        ranges.push_back({key, key});
      }
    }
    return ranges;
  }

  /// One range, or none where no key is in it.
  static std::vector<KeyRange> range_of(const ColumnView& column, const FilterNode& filter) {
    const std::string& lower = filter.values[0];
    const std::string& upper = filter.values[1];
    std::uint64_t first = 0;  // the first key in it
    std::uint64_t end = 0;    // the first one behind it, unless has_end is false
    bool has_end = !upper.empty();
    if (column.field().type == FieldType::kKeyword) {
      if (!lower.empty()) first = place_of(column, lower, !filter.includes_lower);
      if (has_end) end = place_of(column, upper, filter.includes_upper);
    } else {
      if (!lower.empty()) first = key_of(value_of_text(column.field(), lower));
      if (!lower.empty() && !filter.includes_lower && first++ == kMaxKey) return {};
      if (has_end) end = key_of(value_of_text(column.field(), upper));
      if (has_end && filter.includes_upper && end++ == kMaxKey) has_end = false;
    }
    if (!has_end) return {{first, kMaxKey}};
    if (first >= end) return {};
    return {{first, end - 1}};
  }
  /// Of the first keyword that is not less, or, `behind` it, larger.
  static std::uint64_t place_of(const ColumnView& column, const std::string& text, bool behind) {
    const std::uint64_t place = column.lower_bound(text);
    const bool is_there = place < column.header().distinct && column.text(place) == text;
    return behind && is_there ? place + 1 : place;
  }

  const Index& index_;
  std::uint64_t documents_;
};

}  // namespace

void check_filter(const FilterNode& filter, const Schema& schema) {
  check_clause(filter, columns_of(schema));
}

DocumentFilter filter_of(const Snapshot& snapshot, const vector::RowFilter& documents) {
  static std::atomic<std::uint64_t> last_number = 0;
  DocumentFilter result{documents};
  result.number = ++last_number;
  result.count = documents.count();
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const vector::RowFilter own =
        documents.slice(segment.first_document, segment.index->counts().documents);
    auto& words = result.excluded.emplace_back(own.words().begin(), own.words().end());
    for (std::uint64_t& word : words) word = ~word;
  }
  return result;
}

DocumentFilter evaluate_filter(const Snapshot& snapshot, const FilterNode& filter) {
  vector::RowFilter documents(snapshot.docid_end());
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    std::vector<std::uint64_t> words = SegmentFilter(segment).match(filter);
    const std::span<const std::uint64_t> removed = segment.index->removed().words();
    for (std::size_t i = 0; i < removed.size(); ++i) words[i] &= ~removed[i];
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
        documents.add(segment.first_document + i * 64 +
                      static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
  return filter_of(snapshot, documents);
}

std::shared_ptr<const DocumentFilter> FilterCache::get(const Snapshot& snapshot,
                                                       std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(text);
    if (known != places_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      return known->second->filter;
    }
  }
  const FilterNode filter = parse_filter(text);
  check_filter(filter, snapshot.settings().schema);
  auto made = std::make_shared<const DocumentFilter>(evaluate_filter(snapshot, filter));
  const std::uint64_t bytes = text.size() + std::uint64_t{snapshot.docid_end()} / 4;
  const std::lock_guard lock(mutex_);
  if (bytes > max_bytes_ || places_.contains(text)) return made;
  entries_.push_front({std::string(text), made, bytes});
  places_.emplace(entries_.front().text, entries_.begin());
  for (bytes_ += bytes; bytes_ > max_bytes_; entries_.pop_back()) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().text);
  }
  return made;
}

}  // namespace warpdex
