// Descriptions to JSON and back, checked against the types that there are.
#include "analysis/descriptions/description.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <optional>

#include "analysis/descriptions/part_types.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::analysis {
namespace {

using JsonValue = rapidjson::Value;

std::string_view text_of(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// "A, B and C", or "none".
template <class Named>
std::string names_of(std::span<const Named> named) {
  std::string names;
  for (const Named& each : named) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names.empty() ? "none" : names;
}

std::optional<std::vector<std::string>> read_words(const JsonValue& value) {
  if (!value.IsArray()) return std::nullopt;
  std::vector<std::string> words;
  for (const JsonValue& word : value.GetArray()) {
    if (!word.IsString() || word.GetStringLength() == 0) return std::nullopt;
    words.emplace_back(text_of(word));
  }
  return words;
}

PartValue read_value(const JsonValue& value, ValueKind kind, const std::string& place) {
  const bool takes_text = kind == ValueKind::kText || kind == ValueKind::kTextOrWords;
  const bool takes_words = kind == ValueKind::kWords || kind == ValueKind::kTextOrWords;
  if (kind == ValueKind::kBoolean && value.IsBool()) return value.GetBool();
  if (takes_text && value.IsString()) return std::string(text_of(value));
  if (takes_words) {
    if (std::optional<std::vector<std::string>> words = read_words(value)) return *words;
  }
  std::string wanted = "true or false";
  if (takes_text) wanted = "a string";
  if (takes_words) wanted = takes_text ? "a string, or an array of words" : "an array of words";
  throw UsageError(place + " must be " + wanted);
}

/// A part's type, or an object with the member "type" and what else the type takes.
template <class Type>
Part read_part(const JsonValue& value, std::span<const Type> types, const std::string& place) {
  const JsonValue* type_name = &value;
  if (value.IsObject()) {
    const auto type = value.FindMember("type");
    if (type == value.MemberEnd()) throw UsageError(place + " has no member 'type'");
    type_name = &type->value;
  }
  if (!type_name->IsString()) {
    throw UsageError(place + " must be a name, or an object with the member 'type', a name");
  }
  Part part{std::string(text_of(*type_name))};
  const auto type = std::ranges::find(types, part.type, &Type::name);
  if (type == types.end()) {
    throw UsageError(place + " is the unknown '" + part.type + "'; there are " + names_of(types));
  }
  const std::string named = place + " ('" + part.type + "')";
  for (auto member = value.IsObject() ? value.MemberBegin() : JsonValue::ConstMemberIterator();
       value.IsObject() && member != value.MemberEnd(); ++member) {
    const std::string_view name = text_of(member->name);
    if (name == "type") continue;
    const auto parameter = std::ranges::find(type->parameters, name, &ParameterType::name);
    if (parameter == type->parameters.end()) {
      throw UsageError(named + " has the unknown parameter '" + std::string(name) +
                       "'; there are " +
                       names_of(std::span<const ParameterType>(type->parameters)));
    }
    part.values[std::string(name)] =
        read_value(member->value, parameter->kind, named + ": '" + std::string(name) + "'");
  }
  for (const ParameterType& parameter : type->parameters) {
    if (parameter.is_needed && !part.values.contains(parameter.name)) {
      throw UsageError(named + " needs the parameter '" + std::string(parameter.name) + "'");
    }
  }
  return part;
}

using JsonTextWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void write_text(JsonTextWriter& json, const std::string& text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

struct ValueWriter {
  JsonTextWriter& json;
  void operator()(bool value) const { json.Bool(value); }
  void operator()(const std::string& value) const { write_text(json, value); }
  void operator()(const std::vector<std::string>& words) const {
    json.StartArray();
    for (const std::string& word : words) write_text(json, word);
    json.EndArray();
  }
};

void write_part(JsonTextWriter& json, const Part& part) {
  if (part.values.empty()) {
    write_text(json, part.type);
    return;
  }
  json.StartObject();
  json.Key("type");
  write_text(json, part.type);
  for (const auto& [name, value] : part.values) {
    json.Key(name.c_str());
    std::visit(ValueWriter{json}, value);
  }
  json.EndObject();
}

}  // namespace

Description read_description(std::string_view json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      json.data(), json.size());
  if (document.HasParseError()) {
    throw UsageError("the analyzer's description is no JSON at byte " +
                     std::to_string(document.GetErrorOffset()) + ": " +
                     rapidjson::GetParseError_En(document.GetParseError()));
  }
  if (!document.IsObject()) throw UsageError("the analyzer's description is no JSON object");
  std::optional<Description> description;
  if (const auto tokenizer = document.FindMember("tokenizer"); tokenizer != document.MemberEnd()) {
    description = {read_part(tokenizer->value, tokenizer_types(), "the analyzer's tokenizer")};
    if (description->tokenizer.type == kIcuTokenizer) description->tokenizer.type = "standard";
  }
  if (!description) throw UsageError("the analyzer's description has no member 'tokenizer'");
  for (const auto& [name, value] : document.GetObject()) {
    if (text_of(name) == "tokenizer") continue;
    if (text_of(name) != "filters") {
      throw UsageError("the analyzer's description has the unknown member '" +
                       std::string(text_of(name)) + "'; there are tokenizer, filters");
    }
    if (!value.IsArray()) throw UsageError("the analyzer's filters must be an array");
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      description->filters.push_back(
          read_part(value[i], filter_types(), "the analyzer's filters[" + std::to_string(i) + "]"));
    }
  }
  return *description;
}

std::string write_description(const Description& description) {
  rapidjson::StringBuffer buffer;
  JsonTextWriter json(buffer);
  json.StartObject();
  json.Key("tokenizer");
  write_part(json, description.tokenizer);
  json.Key("filters");
  json.StartArray();
  for (const Part& filter : description.filters) write_part(json, filter);
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace warpdex::analysis
