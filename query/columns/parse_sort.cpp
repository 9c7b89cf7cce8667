// Sort keys as text.
#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

std::vector<SortKey> parse_sort(std::string_view text) {
  std::vector<SortKey> keys;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string_view order = colon < part.size() ? part.substr(colon + 1) : "asc";
    if (colon == 0 || (order != "asc" && order != "desc")) {
      throw UsageError("'" + std::string(part) +
                       "' is no column to sort by; give a name, or as year:desc or year:asc");
    }
    keys.push_back({std::string(part.substr(0, colon)), order == "desc"});
  }
  return keys;
}

}  // namespace warpdex
