// What is done to an index as a whole: made, removed, committed, merged, copied.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "catalog/snapshots.hpp"
#include "routes/parameters.hpp"
#include "v1/face.hpp"

namespace warpdex::server::v1 {
namespace {

/// A kind, or an object that has one and its settings.
vector::RowIndexSettings read_vector_index(const rapidjson::Value& json) {
  vector::RowIndexSettings index;
  if (json.IsString()) {
    index.kind = json.GetString();
    return index;
  }
  Parameters members(json, "'index'");
  const auto read = [&](const char* name, std::size_t& to, std::uint64_t most) {
    if (const auto number = members.whole(name, 0, most)) to = static_cast<std::size_t>(*number);
  };
  index.kind = members.text("kind").value_or(index.kind);
  read("lists", index.lists, vector::kMaxRows);
  read("train", index.train, vector::kMaxRows);
  read("pq_bytes", index.pq_bytes, vector::kMaxDimension);
  read("pq_bits", index.pq_bits, 8);
  read("bits", index.binary_bits, 8);
  index.is_rotated = members.flag("rotated").value_or(false);
  index.is_corrected = members.flag("corrected").value_or(false);
  index.seed = members.whole("seed").value_or(index.seed);
  members.finish();
  return index;
}

vector::RowSettings read_vectors(const rapidjson::Value& json) {
  Parameters members(json, "'vectors'");
  vector::RowSettings settings;
  const auto dimension = members.whole("dimension", 1, 4096);
  if (!dimension) throw bad_request("'vectors' has no 'dimension'");
  settings.dimension = static_cast<std::size_t>(*dimension);
  if (const auto name = members.text("metric")) settings.metric = vector::metric_from_name(*name);
  if (const auto name = members.text("store")) settings.store = vector::store_from_name(*name);
  if (const auto* index = members.json("index")) settings.index = read_vector_index(*index);
  members.finish();
  return settings;
}

/// As JSON.
std::string text_of(const rapidjson::Value& json) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  json.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

/// A name, or a description: an object, or its text.
std::string read_analyzer(Parameters& members) {
  const rapidjson::Value& analyzer = *members.json("analyzer");
  return analyzer.IsObject() ? text_of(analyzer) : *members.text("analyzer");
}

NewIndex read_new_index(const Request& request) {
  NewIndex settings;
  if (request.body.empty()) return settings;
  const JsonText body(request.body, "the body");
  Parameters members(body.root(), "the body");
  if (members.json("analyzer") != nullptr) settings.analyzer = read_analyzer(members);
  if (auto stored = members.texts("store")) settings.stored = *stored;
  if (const auto* schema = members.json("schema")) settings.schema = parse_schema(text_of(*schema));
  if (const auto* vectors = members.json("vectors")) settings.vectors = read_vectors(*vectors);
  settings.is_weighted = members.flag("weighted").value_or(false);
  settings.positions = members.flag("positions").value_or(false);
  if (const auto codec = members.text("codec")) settings.codec.kind = codec_from_name(*codec);
  members.finish();
  return settings;
}

}  // namespace

void write_commit(const CommitReport& report, JsonWriter& json) {
  json.member("commit", report.number);
  json.begin_array("notes");
  for (const std::string& note : report.notes) json.value(note);
  json.end_array();
}

void create_index(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const std::string name(exchange->request.arguments[0]);
  const IndexPtr index = services.catalog.create(name, read_new_index(exchange->request));
  JsonWriter json;
  write_index(*index, json);
  exchange->respond({.status = 201, .body = json.take() + "\n"});
}

void remove_index(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const std::string name(exchange->request.arguments[0]);
  services.catalog.remove(name, [&services, exchange, name](const std::exception_ptr& failure) {
    if (failure) return fail(services, *exchange, failure);
    JsonWriter json;
    json.begin_object();
    json.member("name", name);
    json.member("result", "deleted");
    json.end_object();
    exchange->respond({.body = json.take() + "\n"});
  });
}

void commit(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  run_change(services, exchange, index, [exchange, index](Writer& writer) {
    const CommitReport report = index->commit_changes(writer);
    JsonWriter json;
    json.begin_object();
    write_commit(report, json);
    json.end_object();
    exchange->respond({.body = json.take() + "\n"});
  });
}

void merge(Services& services, const ExchangePtr& exchange) {
  Parameters parameters(exchange->request);
  const bool all = parameters.flag("all").value_or(false);
  parameters.finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  run_change(services, exchange, index, [exchange, index, all](Writer& writer) {
    const MergeReport merged = writer.merge(all);
    const CommitReport report = index->commit_changes(writer);
    JsonWriter json;
    json.begin_object();
    json.member("segments_before", merged.segments_before);
    json.member("segments", merged.segments);
    json.member("dropped_documents", merged.dropped_documents);
    json.member("deleted_documents", merged.removed_documents);
    write_commit(report, json);
    json.end_object();
    exchange->respond({.body = json.take() + "\n"});
  });
}

void refresh(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  const bool is_new = index->refresh();
  JsonWriter json;
  json.begin_object();
  json.member("commit", index->commit());
  json.member("is_new", is_new);
  json.end_object();
  exchange->respond({.body = json.take() + "\n"});
}

void make_snapshot(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  if (services.options.snapshots.empty()) {
    throw HttpError(403, "no_folder",
                    "this server has no folder for snapshots; start it with --snapshots DIR");
  }
  const Snapshotted made = copy_by_links(*index, services.options.snapshots);
  JsonWriter json;
  json.begin_object();
  json.member("snapshot", made.name);
  json.member("commit", made.commit);
  json.end_object();
  exchange->respond({.status = 201, .body = json.take() + "\n"});
}

}  // namespace warpdex::server::v1
