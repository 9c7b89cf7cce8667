// Reads which fields words search.
#include <charconv>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

SearchedField searched_field(std::string_view text) {
  const std::size_t at = text.find('^');
  SearchedField field{std::string(text.substr(0, at))};
  if (field.name.empty()) {
    throw UsageError("a field to search has no name; give names with weights, as title^2,contents");
  }
  if (at == text.npos) return field;
  const std::string_view number = text.substr(at + 1);
  const char* const end = number.data() + number.size();
  const auto [stop, status] = std::from_chars(number.data(), end, field.weight);
  const bool is_weight =
      field.weight == 0 || (field.weight >= kMinQueryWeight && field.weight <= kMaxQueryWeight);
  if (status != std::errc() || stop != end || !is_weight) {
    throw UsageError("the weight of the field '" + field.name +
                     "' is not 0 and not a number from 1e-9 to 1e9; correct it");
  }
  return field;
}

}  // namespace

std::vector<SearchedField> parse_searched_fields(std::string_view text) {
  std::vector<SearchedField> fields;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    fields.push_back(searched_field(text.substr(start, end - start)));
    for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
      if (fields[i].name != fields.back().name) continue;
      throw UsageError("the field '" + fields[i].name + "' is to be searched twice; name it once");
    }
    start = end + 1;
  }
  return fields;
}

FieldsType fields_type_from_name(std::string_view name) {
  if (name == "most_fields") return FieldsType::kMostFields;
  if (name == "best_fields") return FieldsType::kBestFields;
  if (name == "combined_fields") return FieldsType::kCombinedFields;
  if (name == "cross_fields") return FieldsType::kCrossFields;
  throw UsageError(
      "there is no type '" + std::string(name) +
      "' of searching fields; take most_fields, best_fields, combined_fields or cross_fields");
}

}  // namespace warpdex
