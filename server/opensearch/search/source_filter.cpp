#include "opensearch/search/source_filter.hpp"

#include <algorithm>
#include <optional>

#include "warpdex/indexer/field_value.hpp"

namespace warpdex::server::opensearch {
namespace {

using Names = std::vector<std::string>;

/// Whether a name is of a pattern, in which * stands for any text.
bool is_like(std::string_view name, std::string_view pattern) {
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < name.size()) {
    if (k < pattern.size() && pattern[k] == '*') {
      star = k++;
      resume = i;
    } else if (k < pattern.size() && pattern[k] == name[i]) {
      ++i;
      ++k;
    } else if (star != std::string_view::npos) {
      k = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', k) == std::string_view::npos;
}

void check_patterns(const Names& patterns, const IndexFields& fields) {
  for (const std::string& pattern : patterns) {
    if (pattern.find('*') != std::string::npos || fields.is_stored(pattern)) continue;
    if (fields.column(pattern) != nullptr) continue;
    if (fields.vector(pattern) != nullptr) {
      throw illegal_argument("'_source' has no vectors; leave '" + pattern + "' out");
    }
    throw illegal_argument("'_source' names '" + pattern + "', which the index does not store");
  }
}

SourceFilter filtered(const Names& includes, const Names& excludes, const IndexFields& fields) {
  check_patterns(includes, fields);
  check_patterns(excludes, fields);
  const auto is_one_of = [](const std::string& name, const Names& patterns) {
    return std::ranges::any_of(patterns,
                               [&](const std::string& pattern) { return is_like(name, pattern); });
  };
  SourceFilter filter{.is_shown = !fields.stored.empty() || !fields.columns.empty()};
  const auto is_in = [&](const std::string& name) {
    return (includes.empty() || is_one_of(name, includes)) && !is_one_of(name, excludes);
  };
  for (const std::string& name : fields.stored) {
    if (is_in(name)) filter.names.push_back(name);
  }
  for (const Field& field : fields.columns) {
    if (is_in(field.name) && !fields.is_stored(field.name)) filter.columns.push_back(field);
  }
  return filter;
}

/// A list, or one text.
Names names_in(const rapidjson::Value& json, const std::string& what) {
  Names names;
  const auto add = [&](const rapidjson::Value& name) {
    if (!name.IsString()) throw parsing_error(what + " holds what is no name of a field");
    names.emplace_back(name.GetString(), name.GetStringLength());
  };
  if (!json.IsArray()) {
    add(json);
  } else {
    for (const auto& name : json.GetArray()) add(name);
  }
  return names;
}

SourceFilter of_body(const rapidjson::Value& json, const IndexFields& fields) {
  if (json.IsBool()) {
    if (!json.GetBool()) return {.is_shown = false};
    return filtered({}, {}, fields);
  }
  if (!json.IsObject()) return filtered(names_in(json, "'_source'"), {}, fields);
  Parameters members(json, "'_source'");
  const auto read = [&](std::string_view name, std::string_view also) {
    Names names;
    for (const std::string_view each : {name, also}) {
      const rapidjson::Value* const list = members.json(each);
      if (list != nullptr) names = names_in(*list, "'_source'");
    }
    return names;
  };
  const Names includes = read("includes", "include");
  const Names excludes = read("excludes", "exclude");
  members.finish();
  return filtered(includes, excludes, fields);
}

}  // namespace

void write_values(const Field& field, const std::vector<FieldValue>& values, JsonWriter& json) {
  if (values.size() > 1) json.begin_array();
  for (const FieldValue& value : values) {
    if (field.type == FieldType::kDate) {
      json.value(value_text(field, value));
    } else {
      std::visit([&](const auto& of_type) { json.value(of_type); }, value);
    }
  }
  if (values.size() > 1) json.end_array();
}

bool SourceFilter::has(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

SourceFilter read_source_filter(Parameters& address, const rapidjson::Value* body,
                                const IndexFields& fields) {
  auto given = address.texts("_source");
  const auto includes = address.texts("_source_includes");
  const auto excludes = address.texts("_source_excludes");
  const bool has_lists = includes || excludes;
  if ((given && has_lists) || (body != nullptr && (given || has_lists))) {
    throw illegal_argument("'_source' is given twice; give it once");
  }
  if (body != nullptr) return of_body(*body, fields);
  if (given && *given == Names{"false"}) return {.is_shown = false};
  if (given && *given != Names{"true"}) return filtered(*given, {}, fields);
  return filtered(includes.value_or(Names()), excludes.value_or(Names()), fields);
}

void write_source(const std::map<std::string, std::string>& stored,
                  const std::map<std::string, std::vector<FieldValue>>& values,
                  const SourceFilter& filter, JsonWriter& json) {
  if (!filter.is_shown) return;
  json.begin_object("_source");
  for (const std::string& name : filter.names) {
    if (const auto found = stored.find(name); found != stored.end()) {
      json.member(name, found->second);
    }
  }
  for (const Field& field : filter.columns) {
    const auto found = values.find(field.name);
    if (found == values.end() || found->second.empty()) continue;
    json.key(field.name);
    write_values(field, found->second, json);
  }
  json.end_object();
}

}  // namespace warpdex::server::opensearch
