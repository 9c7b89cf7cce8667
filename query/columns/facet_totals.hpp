// The counts of a column's values, value by value, as facets show them. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/columns/facet_parts.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// Of all segments, and of all parts: keywords by their texts, other values by their keys.
template <class Name>
using FacetTotals = std::unordered_map<Name, KeyCount>;

template <class Name>
void add_count(FacetTotals<Name>& totals, const Name& name, const KeyCount& count) {
  KeyCount& total = totals[name];
  total.documents += count.documents;
  total.values += count.values;
}

/// By name.
template <class Name>
std::vector<std::pair<Name, KeyCount>> sorted_totals(const FacetTotals<Name>& totals) {
  std::vector<std::pair<Name, KeyCount>> sorted(totals.begin(), totals.end());
  std::ranges::sort(sorted, {}, &std::pair<Name, KeyCount>::first);
  return sorted;
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

/// Fills in all but the documents and the ranges.
void take_keywords(const FacetTotals<std::string_view>& totals, const FacetRequest& wanted,
                   Facet& facet);
void take_numbers(const FacetTotals<std::uint64_t>& totals, const Field& field,
                  const FacetRequest& wanted, Facet& facet);

}  // namespace warpdex
