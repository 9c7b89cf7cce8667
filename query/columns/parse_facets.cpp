// Facets as text.
#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kBetween = "..";

/// Appends the ranges between the limits of "..1990..2000".
void append_ranges(std::string_view limits, const std::string& whole,
                   std::vector<FacetRange>& ranges) {
  std::vector<std::string> each;
  for (std::size_t end = 0; end != limits.npos;) {
    end = limits.find(kBetween);
    each.emplace_back(limits.substr(0, end));
    limits.remove_prefix(std::min(limits.size(), each.back().size() + kBetween.size()));
  }
  for (std::size_t i = 0; i + 1 < each.size(); ++i) {
    const bool has_limit_within =
        (i == 0 || !each[i].empty()) && (i + 2 == each.size() || !each[i + 1].empty());
    if (!has_limit_within || (each[i].empty() && each[i + 1].empty())) {
      throw UsageError("the facet '" + whole +
                       "' lacks a limit between its ranges; write them as year:..1990..2000..");
    }
    ranges.push_back({each[i], each[i + 1]});
  }
}

}  // namespace

std::vector<FacetRequest> parse_facets(std::span<const std::string> texts) {
  std::vector<FacetRequest> facets;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    const bool has_ranges = colon != text.npos && text.find(kBetween, colon) != text.npos;
    const std::string name = has_ranges ? text.substr(0, colon) : text;
    if (name.empty()) {
      throw UsageError("'" + text +
                       "' is no facet; give the name of a column, or as "
                       "year:..1990..2000.. with ranges");
    }
    auto same = std::ranges::find(facets, name, &FacetRequest::column);
    if (same == facets.end()) same = facets.insert(same, {.column = name});
    if (has_ranges) append_ranges(std::string_view(text).substr(colon + 1), text, same->ranges);
  }
  return facets;
}

}  // namespace warpdex
