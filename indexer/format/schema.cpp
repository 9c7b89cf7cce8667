// Schemas to JSON and back.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>

#include "format/vector_fields.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {
namespace {

using JsonValue = rapidjson::Value;

constexpr std::array<std::string_view, 7> kTypeNames{"text", "keyword", "int",   "float",
                                                     "date", "bool",    "vector"};
constexpr std::size_t kMaxNameBytes = 255;

std::string_view text_of(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void check_name(std::string_view name, const Schema& schema) {
  const auto fits = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  const std::string named = "the field '" + std::string(name) + "'";
  if (name.empty() || name.size() > kMaxNameBytes || !is_letter(name[0]) ||
      !std::ranges::all_of(name, fits)) {
    throw UsageError(named +
                     " must have a name of letters, digits, '_', '-' and '.', which begins "
                     "with a letter");
  }
  if (name == "id") throw UsageError("'id' names documents; give the field another name");
  if (schema.find(name)) throw UsageError(named + " is there twice");
}

FieldType read_type(const JsonValue& value, const std::string& named) {
  if (value.IsString()) {
    const auto type = std::ranges::find(kTypeNames, text_of(value));
    if (type != kTypeNames.end()) return static_cast<FieldType>(type - kTypeNames.begin());
  }
  throw UsageError(named + " must have the type text, keyword, int, float, date, bool or vector");
}

bool read_flag(const JsonValue& value, const std::string& named, std::string_view member) {
  if (value.IsBool()) return value.GetBool();
  throw UsageError(named + ": '" + std::string(member) + "' must be true or false");
}

float read_weight(const JsonValue& value, const std::string& named) {
  constexpr double kLargest = 1e6;
  if (value.IsNumber() && value.GetDouble() >= 0 && value.GetDouble() <= kLargest) {
    return static_cast<float>(value.GetDouble());
  }
  throw UsageError(named + ": 'weight' must be a number from 0 to 1,000,000");
}

std::string read_analyzer_of_field(const JsonValue& value, const std::string& named) {
  std::string analyzer;
  if (value.IsString()) {
    analyzer = text_of(value);
  } else if (value.IsObject()) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    value.Accept(writer);
    analyzer = {text.GetString(), text.GetSize()};
  } else {
    throw UsageError(named + ": 'analyzer' must be a name or an object");
  }
  try {
    check_analyzer(analyzer);
    return canonical_analyzer(analyzer).name;
  } catch (const UsageError& error) {
    throw UsageError(named + ": " + error.what());
  }
}

void read_member(const JsonValue::Member& member, const std::string& named, Field& field) {
  const std::string_view name = text_of(member.name);
  const bool is_text = field.type == FieldType::kText;
  if (name == "type") return;
  if (is_text && name == "analyzer") {
    field.analyzer = read_analyzer_of_field(member.value, named);
  } else if (is_text && name == "positions") {
    field.positions = read_flag(member.value, named, name);
  } else if (is_text && name == "weight") {
    field.weight = read_weight(member.value, named);
  } else if (!is_text && name == "multiple") {
    field.multiple = read_flag(member.value, named, name);
  } else {
    throw UsageError(named + ", of type " + std::string(field_type_name(field.type)) +
                     ", has the unknown member '" + std::string(name) + "'");
  }
}

Field read_field(std::string_view name, const JsonValue& value) {
  const std::string named = "the field '" + std::string(name) + "'";
  if (!value.IsObject() || !value.HasMember("type")) {
    throw UsageError(named + " must be an object with the member 'type'");
  }
  Field field{std::string(name), read_type(value["type"], named)};
  if (field.type == FieldType::kVector) {
    field.vectors = read_vector_field(value, named);
    return field;
  }
  for (const auto& member : value.GetObject()) read_member(member, named, field);
  return field;
}

void write_field(rapidjson::Writer<rapidjson::StringBuffer>& writer, const Field& field) {
  const auto key = [&](std::string_view name) {
    writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  };
  const auto text = [&](std::string_view value) {
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  key(field.name);
  writer.StartObject();
  key("type");
  text(field_type_name(field.type));
  if (!field.analyzer.empty()) {
    key("analyzer");
    if (field.analyzer.starts_with('{')) {
      writer.RawValue(field.analyzer.data(), field.analyzer.size(), rapidjson::kObjectType);
    } else {
      text(field.analyzer);
    }
  }
  if (field.positions) {
    key("positions");
    writer.Bool(true);
  }
  if (field.multiple) {
    key("multiple");
    writer.Bool(true);
  }
  if (field.weight != 1) {
    key("weight");
    writer.Double(double{field.weight});
  }
  if (field.type == FieldType::kVector) write_vector_field(field.vectors, writer);
  writer.EndObject();
}

}  // namespace

std::string_view field_type_name(FieldType type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  const auto field = std::ranges::find(fields, name, &Field::name);
  if (field == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(field - fields.begin());
}

Schema parse_schema(std::string_view json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError()) {
    throw UsageError("the schema is not JSON, at byte " +
                     std::to_string(document.GetErrorOffset()) + ": " +
                     rapidjson::GetParseError_En(document.GetParseError()));
  }
  if (!document.IsObject() || document.MemberCount() != 1 || !document.HasMember("fields") ||
      !document["fields"].IsObject()) {
    throw UsageError("a schema is an object with the member 'fields', an object of fields by name");
  }
  Schema schema;
  for (const auto& member : document["fields"].GetObject()) {
    check_name(text_of(member.name), schema);
    schema.fields.push_back(read_field(text_of(member.name), member.value));
  }
  if (schema.fields.empty() || schema.fields.size() > kMaxFields) {
    throw UsageError("a schema has 1 to " + std::to_string(kMaxFields) + " fields");
  }
  return schema;
}

std::string schema_to_json(const Schema& schema) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  writer.StartObject();
  writer.Key("fields");
  writer.StartObject();
  for (const Field& field : schema.fields) write_field(writer, field);
  writer.EndObject();
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace warpdex
