#include "v1/document_call.hpp"

#include <cmath>
#include <utility>

#include "http/error.hpp"
#include "http/json_values.hpp"

namespace warpdex::server::v1 {
namespace {

void read_fields(const rapidjson::Value& fields, const std::string& what, NewDocument& document) {
  if (!fields.IsObject()) throw bad_request(what + " has 'fields' that are no object of texts");
  for (const auto& field : fields.GetObject()) {
    const std::string name(field.name.GetString(), field.name.GetStringLength());
    if (!field.value.IsString()) {
      throw bad_request(what + " has a field '" + name + "' that is no text");
    }
    std::string text(field.value.GetString(), field.value.GetStringLength());
    if (!document.fields.emplace(name, std::move(text)).second) {
      throw bad_request(what + " has the field '" + name + "' twice; give it once");
    }
  }
}

void read_values(const rapidjson::Value& values, const std::string& what, NewDocument& document) {
  if (!values.IsObject()) throw bad_request(what + " has 'values' that are no object of values");
  for (const auto& column : values.GetObject()) {
    const std::string name(column.name.GetString(), column.name.GetStringLength());
    auto read = values_of_json(column.value);
    if (!read) {
      throw bad_request(what + " has a value of '" + name +
                        "' that is no text, number, true, false, null, nor an array of these");
    }
    if (!document.values.emplace(name, std::move(*read)).second) {
      throw bad_request(what + " has values of '" + name + "' twice; give them once");
    }
  }
}

void read_vectors(const rapidjson::Value& vectors, const std::string& what, NewDocument& document) {
  if (!vectors.IsObject()) throw bad_request(what + " has 'vectors' that are no object of vectors");
  Parameters members(vectors, "'vectors' of " + what);
  for (const auto& vector : vectors.GetObject()) {
    const std::string name(vector.name.GetString(), vector.name.GetStringLength());
    auto components = members.reals(name);
    if (!components) throw bad_request(what + " has no numbers in its vector '" + name + "'");
    if (!document.vectors.emplace(name, std::move(*components)).second) {
      throw bad_request(what + " has the vector '" + name + "' twice; give it once");
    }
  }
}

void read_weights(const rapidjson::Value& weights, const std::string& what, NewDocument& document) {
  if (!weights.IsObject()) throw bad_request(what + " has 'weights' that are no object of numbers");
  for (const auto& weight : weights.GetObject()) {
    std::string term(weight.name.GetString(), weight.name.GetStringLength());
    const float number =
        weight.value.IsNumber() ? static_cast<float>(weight.value.GetDouble()) : NAN;
    if (!std::isfinite(number)) {
      throw bad_request(what + " has a weight of '" + term + "' that is no finite number");
    }
    document.weights.push_back({std::move(term), number});
  }
}

void read_members(Parameters& members, const std::string& what, NewDocument& document) {
  document.text = members.text("text").value_or("");
  if (const auto* fields = members.json("fields")) read_fields(*fields, what, document);
  if (const auto* values = members.json("values")) read_values(*values, what, document);
  document.vector = members.reals("vector").value_or(std::vector<float>());
  if (const auto* vectors = members.json("vectors")) read_vectors(*vectors, what, document);
  if (const auto* weights = members.json("weights")) read_weights(*weights, what, document);
  members.finish();
}

}  // namespace

NewDocument read_document(const rapidjson::Value& json, const std::string& what, std::string id) {
  NewDocument document{std::move(id)};
  Parameters members(json, what);
  read_members(members, what, document);
  return document;
}

NewDocument read_document(const rapidjson::Value& json, const std::string& what) {
  Parameters members(json, what);
  std::optional<std::string> id = members.text("id");
  if (!id) throw bad_request(what + " has no 'id'");
  NewDocument document{std::move(*id)};
  read_members(members, what, document);
  return document;
}

}  // namespace warpdex::server::v1
