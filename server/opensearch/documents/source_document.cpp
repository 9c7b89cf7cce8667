#include "opensearch/documents/source_document.hpp"

#include <cmath>
#include <utility>

#include "http/json_values.hpp"
#include "opensearch/search/hits.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex::server::opensearch {
namespace {

[[noreturn]] void refuse_value(const std::string& field, const std::string& what,
                               const std::string& wanted) {
  throw HttpError(400, "mapper_parsing_exception",
                  "failed to parse field [" + field + "] of " + what + ": it must be " + wanted);
}

std::vector<float> vector_of(const rapidjson::Value& json, const std::string& field,
                             const std::string& what) {
  const auto number_at = [&](const rapidjson::Value& component) {
    const float number = component.IsNumber() ? static_cast<float>(component.GetDouble()) : NAN;
    if (!std::isfinite(number)) refuse_value(field, what, "an array of finite numbers");
    return number;
  };
  if (!json.IsArray()) refuse_value(field, what, "an array of finite numbers");
  std::vector<float> vector;
  vector.reserve(json.Size());
  for (const auto& component : json.GetArray()) vector.push_back(number_at(component));
  return vector;
}

std::vector<TermWeight> weights_of(const rapidjson::Value& json, const std::string& field,
                                   const std::string& what) {
  if (!json.IsObject()) refuse_value(field, what, "an object of numbers");
  std::vector<TermWeight> weights;
  for (const auto& weight : json.GetObject()) {
    const float number =
        weight.value.IsNumber() ? static_cast<float>(weight.value.GetDouble()) : NAN;
    if (!std::isfinite(number)) refuse_value(field, what, "an object of finite numbers");
    weights.push_back({{weight.name.GetString(), weight.name.GetStringLength()}, number});
  }
  return weights;
}

std::vector<FieldValue> column_values(const rapidjson::Value& json, const Field& field,
                                      const std::string& what) try {
  auto values = values_of_json(json);
  if (!values) throw InputError("the field '" + field.name + "' has a value of another kind");
  for (FieldValue& value : *values) value = value_for(field, std::move(value));
  arrange_values(field, *values);
  return *values;
} catch (const InputError& error) {
  throw HttpError(400, "mapper_parsing_exception", "failed to parse " + what + ": " + error.what());
}

void read_field(const std::string& name, const rapidjson::Value& json, const IndexFields& fields,
                const std::string& what, SourceDocument& document) {
  if (fields.vector(name) != nullptr) {
    if (json.IsNull()) return;
    const bool is_new = document.vectors.emplace(name, vector_of(json, name, what)).second;
    if (!is_new) refuse_value(name, what, "there once");
    return;
  }
  if (const Field* column = fields.column(name)) {
    const auto added = document.values.emplace(name, column_values(json, *column, what));
    if (!added.second) refuse_value(name, what, "there once");
    if (!fields.is_stored(name) && !fields.is_searched(name)) return;
  }
  if (!fields.is_searched(name) && !fields.is_stored(name)) {
    throw HttpError(400, "strict_dynamic_mapping_exception",
                    "mapping set to strict, dynamic introduction of [" + name +
                        "] within [_doc] is not allowed; " + what +
                        " may have the fields that the index was made with");
  }
  if (fields.is_weighted && fields.is_searched(name)) {
    document.weights = weights_of(json, name, what);
    return;
  }
  if (!json.IsString() && !json.IsNull()) refuse_value(name, what, "text, or null");
  const auto added = document.texts.try_emplace(name);
  if (!added.second) refuse_value(name, what, "there once");
  if (json.IsString()) added.first->second.emplace(json.GetString(), json.GetStringLength());
}

}  // namespace

SourceDocument read_source_document(const rapidjson::Value& json, const IndexFields& fields,
                                    const std::string& what) {
  if (!json.IsObject()) {
    throw HttpError(400, "mapper_parsing_exception", what + " must be a JSON object");
  }
  SourceDocument document;
  for (const auto& field : json.GetObject()) {
    read_field({field.name.GetString(), field.name.GetStringLength()}, field.value, fields, what,
               document);
  }
  return document;
}

NewDocument new_document(std::string id, const SourceDocument& source, const IndexFields& fields) {
  NewDocument document{.id = std::move(id)};
  bool has_text = false;
  for (const std::string& name :
       fields.are_separate ? std::vector<std::string>() : fields.searched) {
    const auto found = source.texts.find(name);
    if (found == source.texts.end() || !found->second) continue;
    if (has_text) document.text += '\n';
    has_text = true;
    document.text += *found->second;
  }
  for (const auto& [name, text] : source.texts) {
    if (text && (fields.are_separate || fields.is_stored(name)))
      document.fields.emplace(name, *text);
  }
  for (const VectorField& field : fields.vectors) {
    const auto found = source.vectors.find(field.name);
    if (found == source.vectors.end()) continue;
    (field.own.empty() ? document.vector : document.vectors[field.own]) = found->second;
  }
  document.values = source.values;
  document.weights = source.weights;
  return document;
}

SourceDocument stored_document(const IndexReader& reader, std::uint32_t document,
                               const IndexFields& fields) {
  SourceDocument source;
  for (auto& [name, text] : stored_of(reader, document)) source.texts.emplace(name, text);
  for (const VectorField& field : fields.vectors) {
    source.vectors.emplace(field.name, reader.vector(document, field.own));
  }
  source.values = reader.values(document);
  return source;
}

void merge_document(const SourceDocument& part, SourceDocument& whole) {
  for (const auto& [name, text] : part.texts) {
    if (text) {
      whole.texts[name] = text;
    } else {
      whole.texts.erase(name);
    }
  }
  for (const auto& [name, vector] : part.vectors) whole.vectors[name] = vector;
  for (const auto& [name, values] : part.values) {
    if (values.empty()) {
      whole.values.erase(name);
    } else {
      whole.values[name] = values;
    }
  }
}

}  // namespace warpdex::server::opensearch
