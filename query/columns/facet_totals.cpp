#include "columns/facet_totals.hpp"

#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/columns/column_view.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

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

/// A value as filters have it.
std::string text_of_key(const Field& field, std::uint64_t key) {
  const FieldValue value = field.type == FieldType::kFloat  ? FieldValue(float_of_key(key))
                           : field.type == FieldType::kBool ? FieldValue(key != 0)
                                                            : FieldValue(int_of_key(key));
  return value_text(field, value);
}

}  // namespace

void take_keywords(const FacetTotals<std::string_view>& totals, const FacetRequest& wanted,
                   Facet& facet) {
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

void take_numbers(const FacetTotals<std::uint64_t>& totals, const Field& field,
                  const FacetRequest& wanted, Facet& facet) {
  const auto sorted = sorted_totals(totals);
  TopValues<std::uint64_t> top(wanted.values);
  facet.distinct = sorted.size();
  for (const auto& [key, count] : sorted) {
    top.add(key, count.documents);
    facet.values += count.values;
  }
  add_numbers(field, sorted, facet);
  for (const auto& [key, documents] : top.take()) {
    facet.top.push_back({text_of_key(field, key), documents});
  }
}

void check_part_facet(const PartFacet& part, const Field& field, const FacetRequest& wanted) {
  const bool is_keyword = field.type == FieldType::kKeyword;
  const bool has_others = is_keyword ? !part.numbers.empty() : !part.texts.empty();
  if (has_others || part.ranges.size() != wanted.ranges.size()) {
    throw FormatError("it counts other values than those of '" + wanted.column + "'");
  }
}

Facet join_facets(const Field& field, const FacetRequest& wanted,
                  std::span<const PartFacet* const> parts) {
  Facet facet{.column = wanted.column};
  FacetTotals<std::string_view> texts;
  FacetTotals<std::uint64_t> numbers;
  for (const FacetRange& range : wanted.ranges) facet.ranges.push_back({range, 0});
  for (const PartFacet* const part : parts) {
    facet.documents += part->documents;
    for (const auto& [text, count] : part->texts) add_count<std::string_view>(texts, text, count);
    for (const auto& [key, count] : part->numbers) add_count(numbers, key, count);
    for (std::size_t i = 0; i < facet.ranges.size(); ++i) {
      facet.ranges[i].documents += part->ranges[i];
    }
  }
  if (field.type == FieldType::kKeyword) {
    take_keywords(texts, wanted, facet);
  } else {
    take_numbers(numbers, field, wanted, facet);
  }
  return facet;
}

}  // namespace warpdex
