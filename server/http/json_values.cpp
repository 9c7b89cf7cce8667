#include "http/json_values.hpp"

#include <string>

namespace warpdex::server {
namespace {

std::optional<FieldValue> value_of_json(const rapidjson::Value& json) {
  if (json.IsString()) return std::string(json.GetString(), json.GetStringLength());
  if (json.IsBool()) return json.GetBool();
  if (json.IsInt64()) return json.GetInt64();
  if (json.IsNumber()) return json.GetDouble();
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<FieldValue>> values_of_json(const rapidjson::Value& json) {
  std::vector<FieldValue> values;
  if (json.IsNull()) return values;
  if (!json.IsArray()) {
    auto value = value_of_json(json);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
    return values;
  }
  for (const rapidjson::Value& item : json.GetArray()) {
    auto value = value_of_json(item);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace warpdex::server
