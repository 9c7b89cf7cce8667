#include "opensearch/search/aggregations.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "http/json_values.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::uint64_t kMaxBuckets = 65'536;

constexpr std::pair<std::string_view, AggregationKind> kKinds[] = {
    {"terms", AggregationKind::kTerms},
    {"range", AggregationKind::kRange},
    {"date_range", AggregationKind::kRange},
    {"stats", AggregationKind::kStats},
    {"min", AggregationKind::kMin},
    {"max", AggregationKind::kMax},
    {"avg", AggregationKind::kAverage},
    {"sum", AggregationKind::kSum},
    {"cardinality", AggregationKind::kCardinality},
    {"value_count", AggregationKind::kValueCount}};

bool is_of_numbers(AggregationKind kind) {
  return kind != AggregationKind::kTerms && kind != AggregationKind::kCardinality &&
         kind != AggregationKind::kValueCount;
}

/// A limit of a range as filters have it; empty: none.
std::string limit_of(const rapidjson::Value& range, const char* name, const Field& field) try {
  if (!range.HasMember(name) || range[name].IsNull()) return "";
  const auto values = values_of_json(range[name]);
  if (!values || values->size() != 1) throw InputError("a limit of a range is no value");
  const FieldValue& value = (*values)[0];
  const auto* text = std::get_if<std::string>(&value);
  return value_text(field, text != nullptr ? value_of_text(field, *text) : value_for(field, value));
} catch (const InputError& error) {
  throw illegal_argument(error.what());
}

void read_ranges(Parameters& members, Aggregation& asked) {
  const rapidjson::Value* const ranges = members.json("ranges");
  if (ranges == nullptr || !ranges->IsArray() || ranges->Empty()) {
    throw parsing_error("the ranges of [" + asked.name + "] are no array with some");
  }
  for (const auto& range : ranges->GetArray()) {
    if (!range.IsObject()) throw parsing_error("a range of [" + asked.name + "] is no object");
    asked.request.ranges.push_back(
        {limit_of(range, "from", asked.field), limit_of(range, "to", asked.field)});
    const bool has_key = range.HasMember("key") && range["key"].IsString();
    asked.keys.emplace_back(has_key ? range["key"].GetString() : "");
  }
}

Aggregation read_one(std::string name, const rapidjson::Value& json, const IndexFields& fields) {
  Aggregation asked{.name = std::move(name)};
  if (!json.IsObject() || json.MemberCount() != 1) {
    throw parsing_error("the aggregation [" + asked.name +
                        "] must have one type, and none below it");
  }
  const auto& member = *json.MemberBegin();
  const std::string_view type(member.name.GetString(), member.name.GetStringLength());
  const auto* const kind =
      std::ranges::find(kKinds, type, &std::pair<std::string_view, AggregationKind>::first);
  if (kind == std::end(kKinds)) {
    throw parsing_error("Unknown aggregation type [" + std::string(type) + "], or not supported");
  }
  asked.type = type;
  asked.kind = kind->second;
  Parameters members(member.value, "the aggregation [" + asked.name + "]");
  const auto field = members.text("field");
  const Field* const column = field ? fields.column(*field) : nullptr;
  if (column == nullptr) {
    throw illegal_argument("the aggregation [" + asked.name + "] needs a 'field' of values, and '" +
                           field.value_or("") + "' is none");
  }
  asked.field = *column;
  if (is_of_numbers(asked.kind) && column->type == FieldType::kKeyword) {
    throw illegal_argument("Field [" + column->name + "] of type [keyword] is not supported for [" +
                           std::string(type) + "]");
  }
  asked.request = {.column = column->name, .values = 0};
  if (asked.kind == AggregationKind::kTerms) {
    asked.request.values =
        static_cast<std::uint32_t>(members.whole("size", 1, kMaxBuckets).value_or(10));
  }
  if (asked.kind == AggregationKind::kRange) read_ranges(members, asked);
  members.finish();
  return asked;
}

/// Numbers as such; dates and booleans as OpenSearch has them, numbers and texts.
void write_key(const Field& field, const std::string& text, JsonWriter& json) {
  const FieldValue value = value_of_text(field, text);
  if (field.type == FieldType::kBool) {
    json.member("key", std::get<bool>(value) ? 1 : 0);
  } else {
    json.key("key");
    std::visit([&](const auto& of_type) { json.value(of_type); }, value);
  }
  if (field.type == FieldType::kBool || field.type == FieldType::kDate) {
    json.member("key_as_string", text);
  }
}

void write_terms(const Aggregation& asked, const Facet& facet, JsonWriter& json) {
  std::uint64_t shown = 0;
  for (const FacetCount& count : facet.top) shown += count.documents;
  json.member("doc_count_error_upper_bound", 0);
  json.member("sum_other_doc_count", facet.values - std::min(facet.values, shown));
  json.begin_array("buckets");
  for (const FacetCount& count : facet.top) {
    json.begin_object();
    write_key(asked.field, count.value, json);
    json.member("doc_count", count.documents);
    json.end_object();
  }
  json.end_array();
}

/// A limit as a number.
double number_of(const Field& field, const std::string& text) {
  const FieldValue value = value_of_text(field, text);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return static_cast<double>(std::get<std::int64_t>(value));
}

void write_ranges(const Aggregation& asked, const Facet& facet, JsonWriter& json) {
  json.begin_array("buckets");
  for (std::size_t i = 0; i < facet.ranges.size(); ++i) {
    const FacetRange& range = asked.request.ranges[i];
    const auto shown = [](const std::string& limit) { return limit.empty() ? "*" : limit; };
    json.begin_object();
    json.member("key",
                asked.keys[i].empty() ? shown(range.from) + "-" + shown(range.to) : asked.keys[i]);
    if (!range.from.empty()) json.member("from", number_of(asked.field, range.from));
    if (!range.to.empty()) json.member("to", number_of(asked.field, range.to));
    json.member("doc_count", facet.ranges[i].documents);
    json.end_object();
  }
  json.end_array();
}

/// A number that needs values; null without.
void write_number(std::string_view name, const Facet& facet, double number, JsonWriter& json) {
  json.key(name);
  if (facet.values > 0) {
    json.value(number);
  } else {
    json.null();
  }
}

/// As clients read it with typed keys.
std::string type_of(const Aggregation& asked) {
  if (asked.kind != AggregationKind::kTerms) return asked.type;
  const FieldType type = asked.field.type;
  return type == FieldType::kKeyword ? "sterms" : type == FieldType::kFloat ? "dterms" : "lterms";
}

void write_one(const Aggregation& asked, const Facet& facet, JsonWriter& json) {
  const double average = facet.sum / static_cast<double>(std::max<std::uint64_t>(1, facet.values));
  switch (asked.kind) {
    case AggregationKind::kTerms: return write_terms(asked, facet, json);
    case AggregationKind::kRange: return write_ranges(asked, facet, json);
    case AggregationKind::kStats:
      json.member("count", facet.values);
      write_number("min", facet, facet.min, json);
      write_number("max", facet, facet.max, json);
      write_number("avg", facet, average, json);
      json.member("sum", facet.sum);
      return;
    case AggregationKind::kMin: return write_number("value", facet, facet.min, json);
    case AggregationKind::kMax: return write_number("value", facet, facet.max, json);
    case AggregationKind::kAverage: return write_number("value", facet, average, json);
    case AggregationKind::kSum: return json.member("value", facet.sum);
    case AggregationKind::kCardinality: return json.member("value", facet.distinct);
    case AggregationKind::kValueCount: return json.member("value", facet.values);
  }
}

}  // namespace

std::vector<Aggregation> read_aggregations(const rapidjson::Value& json,
                                           const IndexFields& fields) {
  if (!json.IsObject()) throw parsing_error("'aggs' is no object");
  std::vector<Aggregation> all;
  for (const auto& member : json.GetObject()) {
    all.push_back(
        read_one({member.name.GetString(), member.name.GetStringLength()}, member.value, fields));
  }
  return all;
}

void write_aggregations(const std::vector<Aggregation>& asked, const std::vector<Facet>& facets,
                        bool has_typed_keys, JsonWriter& json) {
  if (asked.empty()) return;
  json.begin_object("aggregations");
  for (std::size_t i = 0; i < std::min(asked.size(), facets.size()); ++i) {
    json.begin_object((has_typed_keys ? type_of(asked[i]) + "#" : "") + asked[i].name);
    write_one(asked[i], facets[i], json);
    json.end_object();
  }
  json.end_object();
}

}  // namespace warpdex::server::opensearch
