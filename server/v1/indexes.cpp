// What is served: the list of indexes, and what one of them holds.
#include "http/json_writer.hpp"
#include "routes/parameters.hpp"
#include "v1/face.hpp"

namespace warpdex::server::v1 {
namespace {

std::string_view device_name(Device device) {
  switch (device) {
    case Device::kCpu: return "cpu";
    case Device::kGpu: return "gpu";
    case Device::kAuto: break;
  }
  return "auto";
}

std::string with_commas(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) (text += text.empty() ? "" : ",") += name;
  return text;
}

std::string_view id_kind_text(vector::IdKind kind) {
  switch (kind) {
    case vector::IdKind::kRows: return "row numbers";
    case vector::IdKind::kNumbers: return "numbers";
    case vector::IdKind::kTexts: break;
  }
  return "texts";
}

void write_of_documents(const ServedIndex& index, JsonWriter& json) {
  const std::shared_ptr<const IndexReader> reader = index.reader();
  const IndexSettings& settings = reader->settings();
  json.member("content", "documents");
  json.member("documents", reader->documents());
  json.member("deleted_documents", reader->removed_documents());
  json.member("segments", reader->segments());
  json.member("commit", reader->commit());
  json.member("uncommitted_changes", index.uncommitted());
  json.member("average_length", reader->average_length());
  json.member("codec", codec_name(settings.codec.kind));
  json.member("analyzer", settings.analyzer.name);
  json.member("analyzer_version", settings.analyzer.version);
  json.member("fields", settings.fields);
  json.member("stored_fields", with_commas(settings.stored_fields));
  if (!settings.schema.fields.empty()) {
    json.key("schema");
    json.raw(schema_to_json(settings.schema));
  }
  if (settings.vectors) {
    json.begin_object("vectors");
    json.member("metric", vector::metric_name(settings.vectors->metric));
    json.member("store", vector::store_name(settings.vectors->store));
    json.member("dimension", settings.vectors->dimension);
    if (!settings.vectors->index.is_flat()) json.member("index", settings.vectors->index.kind);
    json.end_object();
  }
  json.member("static_scores", settings.has_static_scores);
  json.member("has_impacts", settings.impacts.has_value());
  json.member("forward", settings.has_forward);
  // As they are asked for: of all texts, or by the schema.
  json.member("positions", settings.has_positions && !settings.positions_by_field);
}

void write_of_vectors(const ServedIndex& index, JsonWriter& json) {
  const VectorIndexStats stats = index.vectors().stats();
  json.member("content", "vectors");
  json.member("index", vector_kind_name(stats.settings));
  json.member("metric", vector::metric_name(stats.settings.metric));
  json.member("store", vector::store_name(stats.settings.store));
  json.member("vectors", stats.live_rows);
  json.member("removed", stats.removed_rows);
  json.member("segments", stats.segments);
  json.member("commit", stats.commit);
  json.member("dimension", stats.settings.dimension);
  json.member("ids", id_kind_text(stats.ids));
  json.member("lists", stats.settings.lists);
}

}  // namespace

void write_index(const ServedIndex& index, JsonWriter& json) {
  json.begin_object();
  json.member("name", index.name());
  if (index.is_vectors()) {
    write_of_vectors(index, json);
  } else {
    write_of_documents(index, json);
  }
  json.member("device", device_name(index.device()));
  json.member("read_only", index.is_read_only());
  json.end_object();
}

void list_indexes(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  JsonWriter json;
  json.begin_object();
  json.begin_array("indexes");
  for (const IndexPtr& index : services.catalog.all()) write_index(*index, json);
  json.end_array();
  json.begin_array("not_open");  // why is told to the operator, in the server's notes
  for (const auto& [name, why] : services.catalog.problems()) json.value(name);
  json.end_array();
  json.end_object();
  exchange->respond({.body = json.take() + "\n"});
}

void show_index(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  JsonWriter json;
  write_index(*index, json);
  exchange->respond({.body = json.take() + "\n"});
}

}  // namespace warpdex::server::v1
