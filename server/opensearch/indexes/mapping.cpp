// Mappings: the fields of an index as OpenSearch describes them.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "opensearch/indexes/analysis.hpp"
#include "opensearch/indexes/index_fields.hpp"
#include "opensearch/indexes/knn_vector.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::size_t kMaxFieldBytes = 200;
constexpr std::string_view kUnnamedVector = "vector";

/// Fields of a new index, as its mapping names them.
struct Mapped {
  NewIndex index{};
  std::vector<std::string> searched{};
  std::vector<std::string> analyzers{};  ///< of the searched ones; empty: the index's
  std::vector<bool> positions{};         ///< of the searched ones
  std::optional<std::string> analyzer{};
  NamedAnalyzers defined{};   ///< by the settings
  bool are_separate = false;  ///< each searched field is searched by itself
  std::vector<Field> columns{};
  std::vector<Field> vectors{};  ///< but for the one called "vector"

  bool has_vectors() const { return index.vectors || !vectors.empty(); }
  bool has_vector(const std::string& name) const {
    if (name == kUnnamedVector) return index.vectors.has_value();
    return std::ranges::find(vectors, name, &Field::name) != vectors.end();
  }
};

/// The field called "vector" is the vector without a name, others are fields of the schema.
void read_vector(const std::string& name, Parameters& members, Mapped& mapped) {
  const vector::RowSettings settings = read_knn_vector(name, members);
  if (mapped.has_vector(name)) throw mapper_error("the field '" + name + "' is there twice");
  if (name == kUnnamedVector) {
    mapped.index.vectors = settings;
  } else {
    mapped.vectors.push_back({.name = name, .type = FieldType::kVector, .vectors = settings});
  }
}

/// The column that fields of a type are, or none.
std::optional<FieldType> column_type(std::string_view type) {
  constexpr std::pair<std::string_view, FieldType> kTypes[] = {
      {"keyword", FieldType::kKeyword}, {"long", FieldType::kInt},
      {"integer", FieldType::kInt},     {"short", FieldType::kInt},
      {"byte", FieldType::kInt},        {"double", FieldType::kFloat},
      {"float", FieldType::kFloat},     {"half_float", FieldType::kFloat},
      {"date", FieldType::kDate},       {"boolean", FieldType::kBool}};
  const auto* const found =
      std::ranges::find(kTypes, type, [](const auto& each) { return each.first; });
  if (found == std::end(kTypes)) return std::nullopt;
  return found->second;
}

/// What OpenSearch calls a column: the widest type that it is.
std::string_view column_type_name(FieldType type) {
  switch (type) {
    case FieldType::kInt: return "long";
    case FieldType::kFloat: return "double";
    case FieldType::kDate: return "date";
    case FieldType::kBool: return "boolean";
    default: return "keyword";
  }
}

/// Gives the index its columns and vectors, and checks the schema. A field may have several values,
/// as in OpenSearch.
void finish_schema(Mapped& mapped) try {
  std::vector<Field>& fields = mapped.index.schema.fields;
  fields.insert(fields.end(), mapped.columns.begin(), mapped.columns.end());
  fields.insert(fields.end(), mapped.vectors.begin(), mapped.vectors.end());
  if (fields.empty()) return;
  mapped.index.schema = parse_schema(schema_to_json(mapped.index.schema));
} catch (const UsageError& error) {
  throw mapper_error(error.what());
}

void read_analyzer(const std::string& name, Mapped& mapped) {
  if (mapped.analyzer && *mapped.analyzer != name) {
    throw mapper_error("an index has one analyzer, and this names '" + *mapped.analyzer +
                       "' and '" + name + "'");
  }
  mapped.analyzer = name;
}

void check_field_name(const std::string& name) {
  const bool may_be = !name.empty() && name.size() <= kMaxFieldBytes && name.front() != '_' &&
                      name.find_first_of(",*\n") == std::string::npos;
  if (!may_be) {
    throw mapper_error("[" + name +
                       "] cannot be the name of a field: it must not begin with '_', "
                       "nor have a comma or *");
  }
}

/// Whether a field has positions.
bool read_index_options(Parameters& members) {
  const std::string options = members.text("index_options").value_or("positions");
  constexpr std::array<std::string_view, 4> kOptions{"docs", "freqs", "positions", "offsets"};
  if (std::ranges::find(kOptions, options) == kOptions.end()) {
    throw mapper_error("'index_options' can be docs, freqs, positions or offsets, not '" + options +
                       "'");
  }
  return options != "docs" && options != "freqs";
}

void read_property(const std::string& name, const rapidjson::Value& json, Mapped& mapped) {
  check_field_name(name);
  Parameters members(json, "the field '" + name + "'");
  const std::string type = members.text("type").value_or("object");
  if (type == "knn_vector") {
    read_vector(name, members, mapped);
  } else if (const auto column = column_type(type);
             column && (type != "keyword" || members.flag("index").value_or(true))) {
    mapped.columns.push_back({.name = name, .type = *column, .multiple = true});
  } else if (type == "text" || type == "keyword") {
    const bool is_searched = type == "text" && members.flag("index").value_or(true);
    if (is_searched) {
      mapped.searched.push_back(name);
      mapped.positions.push_back(read_index_options(members));
      mapped.analyzers.push_back(members.text("analyzer").value_or(""));
    }
    mapped.index.stored.push_back(name);
  } else {
    throw mapper_error(
        "No handler for type [" + type + "] declared on field [" + name +
        "]; there are text, keyword, long, integer, double, float, date, boolean and "
        "knn_vector");
  }
  members.finish();
}

/// {"enabled": false}: nothing is stored; {"excludes": […]}: searched ones that are not.
void read_source(const rapidjson::Value& json, Mapped& mapped) {
  Parameters members(json, "'_source'");
  const bool is_enabled = members.flag("enabled").value_or(true);
  const auto excluded = members.texts("excludes").value_or(std::vector<std::string>());
  members.finish();
  for (const std::string& name : is_enabled ? excluded : mapped.index.stored) {
    if (std::ranges::find(mapped.searched, name) == mapped.searched.end() &&
        !mapped.has_vector(name)) {
      throw mapper_error("'_source' leaves out '" + name +
                         "', of which nothing would be left: it is not searched");
    }
  }
  std::erase_if(mapped.index.stored, [&](const std::string& name) {
    return !is_enabled || std::ranges::find(excluded, name) != excluded.end();
  });
}

void read_mappings(const rapidjson::Value& json, Mapped& mapped) {
  Parameters members(json, "'mappings'");
  if (const auto dynamic = members.text("dynamic"); dynamic && *dynamic != "strict") {
    throw mapper_error("'dynamic' can only be strict: fields are named when an index is made");
  }
  if (const auto* properties = members.json("properties")) {
    if (!properties->IsObject()) throw mapper_error("'properties' is no object");
    for (const auto& property : properties->GetObject()) {
      read_property({property.name.GetString(), property.name.GetStringLength()}, property.value,
                    mapped);
    }
  }
  if (const auto* source = members.json("_source")) read_source(*source, mapped);
  members.finish();
}

/// A number that must be what an index has.
void read_fixed(Parameters& members, std::string_view name, std::uint64_t number) {
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return;
  const std::string wanted = std::to_string(number);
  const bool is_it = json->IsString() ? std::string_view(json->GetString()) == wanted
                                      : json->IsUint64() && json->GetUint64() == number;
  if (!is_it) throw illegal_argument("'" + std::string(name) + "' can only be " + wanted + " here");
}

/// Members of "settings", or of its "index".
void read_settings(const rapidjson::Value& json, const std::string& what, Mapped& mapped,
                   bool may_nest = true) {
  Parameters members(json, what);
  read_fixed(members, "number_of_shards", 1);
  read_fixed(members, "number_of_replicas", 0);
  read_fixed(members, "index.number_of_shards", 1);
  read_fixed(members, "index.number_of_replicas", 0);
  for (const std::string_view name : {"separate_fields", "index.separate_fields"}) {
    mapped.are_separate = mapped.are_separate || members.flag(name).value_or(false);
  }
  for (const std::string_view name : {"knn", "index.knn"}) {
    if (members.flag(name).value_or(false) && !mapped.has_vectors()) {
      throw illegal_argument("'index.knn' is there, and no field is a knn_vector");
    }
  }
  if (const auto* analysis = members.json("analysis")) mapped.defined = read_analysis(*analysis);
  if (may_nest) {
    if (const auto* index = members.json("index")) {
      read_settings(*index, "'settings.index'", mapped, false);
    }
  }
  members.finish();
}

/// Of the searched fields: one analyzer of the index, or a schema where each is searched by itself.
/// Where they are one text, one field without positions leaves it without.
void set_texts(Mapped& mapped) {
  for (std::string& name : mapped.analyzers) {
    if (const auto own = mapped.defined.find(name); own != mapped.defined.end()) name = own->second;
  }
  if (const auto usual = mapped.defined.find("default"); usual != mapped.defined.end()) {
    read_analyzer(usual->second, mapped);
  }
  for (const std::string& name :
       mapped.are_separate ? std::vector<std::string>() : mapped.analyzers) {
    if (!name.empty()) read_analyzer(name, mapped);
  }
  mapped.index.analyzer = mapped.analyzer.value_or("standard");
  mapped.index.positions = std::ranges::find(mapped.positions, false) == mapped.positions.end();
  if (!mapped.are_separate || mapped.searched.size() < 2) return;
  for (std::size_t i = 0; i < mapped.searched.size(); ++i) {
    mapped.index.schema.fields.push_back(
        {.name = mapped.searched[i],
         .analyzer = mapped.analyzers[i],
         .positions = !mapped.index.positions && mapped.positions[i]});
  }
}

void write_text_field(const IndexReader& reader, const std::string& name, bool is_searched,
                      JsonWriter& json) {
  json.begin_object(name);
  json.member("type", "text");
  if (is_searched) {
    const auto field = reader.settings().schema.find(name);
    const std::string own = field ? reader.settings().schema.fields[*field].analyzer : "";
    json.member("analyzer", own.empty() ? reader.settings().analyzer.name : own);
  } else {
    json.member("index", false);
  }
  json.end_object();
}

}  // namespace

NewIndex read_new_index(const Request& request) {
  Mapped mapped;
  const JsonText body(body_or_none(request), "the body");
  Parameters members(body.root(), "the body");
  if (const auto* mappings = members.json("mappings")) read_mappings(*mappings, mapped);
  if (const auto* settings = members.json("settings")) {
    read_settings(*settings, "'settings'", mapped);
  }
  members.finish();
  if (mapped.searched.empty()) {
    mapped.searched.emplace_back("text");
    mapped.analyzers.emplace_back();
    mapped.positions.push_back(true);
    if (std::ranges::find(mapped.index.stored, "text") != mapped.index.stored.end()) {
      throw mapper_error("no field is searched, and 'text' is only stored; let one be searched");
    }
    if (mapped.index.stored.empty()) mapped.index.stored.emplace_back("text");
  }
  set_texts(mapped);
  finish_schema(mapped);
  mapped.index.fields = mapped.searched;
  return mapped.index;
}

void write_mapping(const IndexReader& reader, JsonWriter& json) {
  const IndexFields fields = fields_of(reader.settings());
  json.begin_object();
  json.member("dynamic", "strict");
  json.begin_object("_source");
  json.begin_array("excludes");
  for (const std::string& name : fields.searched) {
    if (!fields.is_stored(name)) json.value(name);
  }
  for (const VectorField& field : fields.vectors) json.value(field.name);
  json.end_array();
  json.end_object();
  json.begin_object("properties");
  for (const std::string& name : fields.searched) {
    if (!fields.is_weighted) {
      write_text_field(reader, name, true, json);
      continue;
    }
    json.begin_object(name);
    json.member("type", "rank_features");
    json.end_object();
  }
  for (const std::string& name : fields.stored) {
    if (!fields.is_searched(name)) write_text_field(reader, name, false, json);
  }
  for (const Field& field : fields.columns) {
    json.begin_object(field.name);
    json.member("type", column_type_name(field.type));
    json.end_object();
  }
  for (const VectorField& field : fields.vectors) {
    json.begin_object(field.name);
    write_knn_vector(field.settings, json);
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

}  // namespace warpdex::server::opensearch
