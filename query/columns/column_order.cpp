// Codes of documents, and the first of a set by a heap.
#include "warpdex/query/columns/column_order.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "columns/find_column.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

ColumnOrder::ColumnOrder(const Snapshot& snapshot, std::span<const SortKey> keys)
    : snapshot_(snapshot) {
  if (keys.size() > kMaxSortKeys) {
    throw UsageError("hits are sorted by at most " + std::to_string(kMaxSortKeys) + " columns");
  }
  const auto& segments = snapshot.segments();
  for (const SortKey& wanted : keys) {
    Key& key = keys_.emplace_back();
    key.descending = wanted.descending;
    const std::size_t place = find_column(snapshot, wanted.column);
    key.is_keyword = columns_of(snapshot.settings().schema)[place].type == FieldType::kKeyword;
    std::map<std::string_view, std::uint64_t> ranks;
    for (const Snapshot::Segment& segment : segments) {
      const ColumnView& view = segment.index->columns()[place];
      key.columns.push_back({&view});
      if (segments.size() == 1) break;
      for (std::uint64_t i = 0; i < view.header().distinct; ++i) ranks.emplace(view.text(i), 0);
    }
    std::uint64_t rank = 0;
    for (auto& [text, number] : ranks) number = rank++;
    for (Column& column : key.columns) {
      for (std::uint64_t i = 0; !ranks.empty() && i < column.view->header().distinct; ++i) {
        column.ranks.push_back(ranks.find(column.view->text(i))->second);
      }
    }
  }
}

/// The key of the value that counts.
inline std::optional<std::uint64_t> ColumnOrder::value(const Key& key, std::size_t segment,
                                                       std::uint32_t document) const {
  const ColumnView& view = *key.columns[segment].view;
  const ColumnView::Slots slots = view.slots(document);
  if (slots.size() == 0) return std::nullopt;
  return view.key(key.descending ? slots.end - 1 : slots.begin);
}

ColumnOrder::Code ColumnOrder::code(const Key& key, std::size_t segment,
                                    std::uint32_t document) const {
  const std::optional<std::uint64_t> of_document = value(key, segment, document);
  if (!of_document) return {true, 0};
  std::uint64_t found = *of_document;
  const std::vector<std::uint64_t>& ranks = key.columns[segment].ranks;
  if (!ranks.empty()) found = ranks[std::min<std::uint64_t>(found, ranks.size() - 1)];
  if (key.is_keyword) found = 2 * found + 1;
  return {false, key.descending ? ~found : found};
}

/// An even code is just before that of the next word.
std::uint64_t ColumnOrder::code_of_word(const Key& key, std::string_view word) const {
  std::uint64_t words = 0;
  std::uint64_t first = ~std::uint64_t{0};  // that is not before it
  for (const Column& column : key.columns) {
    const auto rank = [&](std::uint64_t i) { return column.ranks.empty() ? i : column.ranks[i]; };
    const std::uint64_t distinct = column.view->header().distinct;
    if (distinct > 0) words = std::max(words, rank(distinct - 1) + 1);
    const std::uint64_t place = column.view->lower_bound(word);
    if (place >= distinct) continue;
    if (column.view->text(place) == word) return 2 * rank(place) + 1;
    first = std::min(first, rank(place));
  }
  return 2 * std::min(first, words);
}

ColumnOrder::Codes ColumnOrder::codes_of(const SortValues& values) const {
  Codes codes{};
  for (std::size_t i = 0; i < std::min(keys_.size(), values.size()); ++i) {
    const Key& key = keys_[i];
    if (values[i].is_missing) {
      codes[i] = {true, 0};
      continue;
    }
    const std::uint64_t code =
        key.is_keyword ? code_of_word(key, values[i].text) : values[i].number;
    codes[i] = {false, key.descending ? ~code : code};
  }
  return codes;
}

SortValues ColumnOrder::values(std::uint32_t document) const {
  const std::size_t segment = snapshot_.segment_of(document);
  const std::uint32_t place = document - snapshot_.segments()[segment].first_document;
  SortValues values;
  for (const Key& key : keys_) {
    SortValue& of_key = values.emplace_back();
    const std::optional<std::uint64_t> found = value(key, segment, place);
    of_key.is_missing = !found;
    if (!found) continue;
    if (key.is_keyword) {
      of_key.text = key.columns[segment].view->text(*found);
    } else {
      of_key.number = *found;
    }
  }
  return values;
}

ColumnOrder::Codes ColumnOrder::codes_in(std::size_t segment, std::uint32_t document) const {
  Codes codes{};
  for (std::size_t i = 0; i < keys_.size(); ++i) codes[i] = code(keys_[i], segment, document);
  return codes;
}

ColumnOrder::Codes ColumnOrder::codes(std::uint32_t document) const {
  const std::size_t segment = snapshot_.segment_of(document);
  return codes_in(segment, document - snapshot_.segments()[segment].first_document);
}

/// Calls visit(segment, document in it, docID), in order.
template <class Visit>
void ColumnOrder::for_each(const vector::RowFilter& among, const Visit& visit) const {
  const auto& segments = snapshot_.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t first = segments[i].first_document;
    const std::size_t end = first + segments[i].index->counts().documents;
    for (std::size_t row = among.next_allowed(first); row < end;
         row = among.next_allowed(row + 1)) {
      visit(i, static_cast<std::uint32_t>(row - first), static_cast<std::uint32_t>(row));
    }
  }
}

ColumnOrder::First ColumnOrder::first(std::size_t k, const vector::RowFilter& among,
                                      const std::optional<Codes>& behind) const {
  struct Entry {
    Codes codes;
    std::uint32_t document;
    auto operator<=>(const Entry&) const = default;
  };
  First first;
  if (k == 0) return first;
  std::vector<Entry> heap;  // the last one on top
  for_each(among, [&](std::size_t segment, std::uint32_t document, std::uint32_t docid) {
    // Most documents are behind the last one by the first column.
    const bool is_full = heap.size() == k;
    if (is_full && code(keys_[0], segment, document) > heap.front().codes[0]) return;
    const Entry entry{codes_in(segment, document), docid};
    if (behind && entry.codes <= *behind) return;
    if (is_full) {
      if (!(entry < heap.front())) return;
      std::ranges::pop_heap(heap);
      heap.pop_back();
    }
    heap.push_back(entry);
    std::ranges::push_heap(heap);
  });
  if (heap.empty()) return first;
  std::ranges::sort_heap(heap);
  const Codes& last = heap.back().codes;
  for (const Entry& entry : heap) {
    if (entry.codes != last) first.documents.push_back(entry.document);
  }
  first.ties = equal(last, among);
  return first;
}

std::vector<std::uint32_t> ColumnOrder::equal(const Codes& codes,
                                              const vector::RowFilter& among) const {
  std::vector<std::uint32_t> documents;
  for_each(among, [&](std::size_t segment, std::uint32_t document, std::uint32_t docid) {
    if (code(keys_[0], segment, document) != codes[0]) return;
    if (codes_in(segment, document) == codes) documents.push_back(docid);
  });
  return documents;
}

}  // namespace warpdex
