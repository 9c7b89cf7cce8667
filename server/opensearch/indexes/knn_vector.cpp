// Spaces, and the method of lists.
#include "opensearch/indexes/knn_vector.hpp"

#include <algorithm>
#include <string_view>

namespace warpdex::server::opensearch {
namespace {

struct SpaceName {
  std::string_view name;
  vector::Metric metric;
};

constexpr SpaceName kSpaces[] = {{"l2", vector::Metric::kL2},
                                 {"innerproduct", vector::Metric::kInnerProduct},
                                 {"cosinesimil", vector::Metric::kCosine}};
constexpr std::size_t kMaxDimension = 4096;

void read_space(Parameters& members, vector::RowSettings& settings) {
  const auto name = members.text("space_type");
  if (!name) return;
  const auto* const space = std::ranges::find(kSpaces, *name, &SpaceName::name);
  if (space == std::end(kSpaces)) {
    throw mapper_error("there is no space_type '" + *name +
                       "'; there are l2, innerproduct and cosinesimil");
  }
  settings.metric = space->metric;
}

/// {"name": "pq", "parameters": {"m": …, "code_size": 8}}.
void read_encoder(const rapidjson::Value& json, vector::RowIndexSettings& index) {
  Parameters members(json, "'encoder'");
  const std::string name = members.text("name").value_or("flat");
  if (name != "flat" && name != "pq") {
    throw mapper_error("there is no encoder '" + name + "'; there are flat and pq");
  }
  if (const auto* parameters = members.json("parameters"); parameters != nullptr && name == "pq") {
    Parameters of_codes(*parameters, "'parameters' of the encoder");
    const auto bytes = of_codes.whole("m", 1, kMaxDimension);
    of_codes.whole("code_size", 8, 8);
    of_codes.finish();
    if (bytes) index.pq_bytes = static_cast<std::size_t>(*bytes);
  }
  members.finish();
  if (name == "pq") index.kind = "ivf-pq";
}

/// {"name": "ivf", "engine": …, "space_type": …, "parameters": {"nlist": …, "encoder": …}}.
void read_method(const rapidjson::Value& json, vector::RowSettings& settings) {
  Parameters members(json, "'method'");
  if (members.text("name") != "ivf") {
    throw mapper_error(
        "a 'method' has the name ivf, and no other; without 'method' all vectors are compared");
  }
  members.text("engine");
  read_space(members, settings);
  settings.index.kind = "ivf-flat";
  if (const auto* given = members.json("parameters")) {
    Parameters parameters(*given, "'parameters' of 'method'");
    if (const auto lists = parameters.whole("nlist", 1, vector::kMaxRows)) {
      settings.index.lists = static_cast<std::size_t>(*lists);
    }
    if (const auto* encoder = parameters.json("encoder")) read_encoder(*encoder, settings.index);
    parameters.finish();
  }
  members.finish();
}

void write_method(const vector::RowIndexSettings& index, JsonWriter& json) {
  if (!index.kind.starts_with("ivf-")) return;
  json.begin_object("method");
  json.member("name", "ivf");
  json.begin_object("parameters");
  if (index.lists != 0) json.member("nlist", index.lists);
  if (index.kind == "ivf-pq") {
    json.begin_object("encoder");
    json.member("name", "pq");
    if (index.pq_bytes != 0) {
      json.begin_object("parameters");
      json.member("m", index.pq_bytes);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

}  // namespace

vector::RowSettings read_knn_vector(const std::string& name, Parameters& members) {
  vector::RowSettings settings;
  const auto dimension = members.whole("dimension", 1, kMaxDimension);
  if (!dimension) throw mapper_error("'" + name + "' has no 'dimension'");
  settings.dimension = static_cast<std::size_t>(*dimension);
  settings.metric = vector::Metric::kL2;
  read_space(members, settings);
  if (const auto* method = members.json("method")) read_method(*method, settings);
  return settings;
}

void write_knn_vector(const vector::RowSettings& settings, JsonWriter& json) {
  json.member("type", "knn_vector");
  json.member("dimension", settings.dimension);
  json.member("space_type", std::ranges::find(kSpaces, settings.metric, &SpaceName::metric)->name);
  write_method(settings.index, json);
}

}  // namespace warpdex::server::opensearch
