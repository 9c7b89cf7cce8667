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

ColumnOrder::Code ColumnOrder::code(const Key& key, std::size_t segment,
                                    std::uint32_t document) const {
  const Column& column = key.columns[segment];
  const ColumnView::Slots slots = column.view->slots(document);
  if (slots.size() == 0) return {true, 0};
  std::uint64_t found = column.view->key(key.descending ? slots.end - 1 : slots.begin);
  if (!column.ranks.empty())
    found = column.ranks[std::min<std::uint64_t>(found, column.ranks.size() - 1)];
  return {false, key.descending ? ~found : found};
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
