// Documents one by one.
#include <memory>
#include <utility>

#include "opensearch/documents/changes.hpp"
#include "opensearch/search/hits.hpp"
#include "opensearch/search/matching.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::size_t kMaxGot = 10'000;

/// A change, and what became of it.
struct OneChange {
  DocumentChange change{};
  std::string id{};
  ChangeResult result{};
};

/// Runs one change and answers with its result. One that is not to be visible is made durable with
/// others that wait.
void change_document(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                     DocumentChange change, bool commits) {
  auto one = std::make_shared<OneChange>(OneChange{.change = std::move(change)});
  one->id = one->change.id;
  const auto apply = [index, one, commits](Writer& writer) {
    Changer changer(*index, writer);
    one->result = changer.apply(std::move(one->change));
    if (!one->result.type.empty()) {
      throw HttpError(one->result.status, one->result.type, one->result.reason);
    }
    changer.finish(commits);
  };
  const auto tell = [exchange, index, one] {
    JsonWriter json;
    json.begin_object();
    write_result(index->name(), one->id, one->result, json);
    json.end_object();
    respond(*exchange, json, one->result.status);
  };
  if (!commits) return run_durable_change(services, exchange, index, apply, tell);
  run_change(services, exchange, index, [apply, tell](Writer& writer) {
    apply(writer);
    tell();
  });
}

void put(Services& services, const ExchangePtr& exchange, ChangeKind kind, std::string id) {
  Parameters address(exchange->request);
  const bool commits = read_refresh(address);
  if (const auto type = kind == ChangeKind::kIndex ? address.text("op_type") : std::nullopt) {
    if (*type != "index" && *type != "create") {
      throw illegal_argument("opType must be 'create' or 'index', found: [" + *type + "]");
    }
    if (*type == "create") kind = ChangeKind::kCreate;
  }
  finish(address);
  const IndexPtr index = find_index(services, exchange->request);
  const IndexFields fields = fields_of(index->reader()->settings());
  DocumentChange change{.kind = kind, .id = std::move(id)};
  change.source = read_body([&] {
    const JsonText body(exchange->request.body, "the body");
    return read_source_document(body.root(), fields, "the document");
  });
  change_document(services, exchange, index, std::move(change), commits);
}

std::string id_in(const Request& request) { return std::string(request.arguments[1]); }

/// The members _index, _id, found and _source.
bool write_document(const std::string& index, const IndexReader& reader, const std::string& id,
                    const SourceFilter& source, JsonWriter& json) {
  const auto document = reader.find(id);
  json.begin_object();
  json.member("_index", index);
  json.member("_id", id);
  if (document) {
    json.member("_version", -1);
    json.member("_seq_no", -2);
    json.member("_primary_term", 0);
  }
  json.member("found", document.has_value());
  if (document) write_source(stored_of(reader, *document), reader.values(*document), source, json);
  json.end_object();
  return document.has_value();
}

/// A get reads what is committed.
void read_realtime(Parameters& address) {
  if (!address.flag("realtime").value_or(false)) return;
  throw illegal_argument(
      "'realtime' can only be false: documents are read once they are committed");
}

void write_got(const Services& services, const Request& request, const rapidjson::Value& json,
               Parameters& address, JsonWriter& out) {
  Parameters members(json, "an entry of 'docs'");
  const auto id = members.text("_id");
  const auto name = members.text("_index");
  const rapidjson::Value* const source = members.json("_source");
  members.finish();
  if (!id) throw illegal_argument("an entry of 'docs' has no '_id'");
  const IndexPtr index = name ? find_index(services, *name) : find_index(services, request);
  const std::shared_ptr<const IndexReader> reader = index->reader();
  const IndexFields fields = fields_of(reader->settings());
  const Request none;
  Parameters nothing(none);
  const SourceFilter filter =
      read_source_filter(source == nullptr ? address : nothing, source, fields);
  write_document(index->name(), *reader, *id, filter, out);
}

/// An entry of an index that is not there is an error of its own.
void write_got_or_error(const Services& services, const Request& request,
                        const rapidjson::Value& entry, Parameters& address, JsonWriter& json) {
  try {
    write_got(services, request, entry, address, json);
  } catch (const HttpError& error) {
    if (error.status() != 404 || !entry.HasMember("_index")) throw;
    const JsonText rendered(kFace.render(error, request), "an error");
    json.begin_object();
    json.member("_index", entry["_index"].GetString());
    json.member("_id", entry["_id"].GetString());
    json.begin_object("error");
    json.member("type", rendered.root()["error"]["type"].GetString());
    json.member("reason", error.what());
    json.end_object();
    json.end_object();
  }
}

void respond_deleted(Exchange& exchange, std::uint64_t total, std::uint64_t deleted) {
  JsonWriter json;
  json.begin_object();
  json.member("took", millis_since(exchange.request.arrival));
  json.member("timed_out", false);
  json.member("total", total);
  json.member("deleted", deleted);
  json.member("batches", total > 0 ? 1 : 0);
  for (const char* name : {"version_conflicts", "noops"}) json.member(name, 0);
  json.begin_object("retries");
  json.member("bulk", 0);
  json.member("search", 0);
  json.end_object();
  json.member("throttled_millis", 0);
  json.member("requests_per_second", -1.0);
  json.member("throttled_until_millis", 0);
  json.begin_array("failures");
  json.end_array();
  json.end_object();
  respond(exchange, json);
}

AskedQuery read_deleted(const Services& services, const IndexPtr& index, const Request& request) {
  return read_body([&] {
    const IndexFields fields = fields_of(index->reader()->settings());
    const JsonText body(body_or_none(request), "the body");
    Parameters members(body.root(), "the body");
    const rapidjson::Value* const query = members.json("query");
    members.finish();
    if (query == nullptr) throw parsing_error("the body has no 'query'");
    AskedQuery asked = read_query(*query, {index->searcher(), fields, services.options.limits});
    if (!asked.vector.empty()) {
      throw illegal_argument("documents cannot be deleted by a query by a vector");
    }
    return asked;
  });
}

}  // namespace

void put_one(Services& services, const ExchangePtr& exchange) {
  put(services, exchange, ChangeKind::kIndex, id_in(exchange->request));
}

void create_document(Services& services, const ExchangePtr& exchange) {
  put(services, exchange, ChangeKind::kCreate, id_in(exchange->request));
}

void post_one(Services& services, const ExchangePtr& exchange) {
  put(services, exchange, ChangeKind::kIndex, new_document_id());
}

void update_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const bool commits = read_refresh(address);
  finish(address);
  const IndexPtr index = find_index(services, exchange->request);
  const IndexFields fields = fields_of(index->reader()->settings());
  DocumentChange change = read_body([&] {
    const JsonText body(exchange->request.body, "the body");
    return read_update(body.root(), fields, "the update", id_in(exchange->request));
  });
  change_document(services, exchange, index, std::move(change), commits);
}

void delete_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const bool commits = read_refresh(address);
  finish(address);
  change_document(services, exchange, find_index(services, exchange->request),
                  {.kind = ChangeKind::kDelete, .id = id_in(exchange->request)}, commits);
}

void get_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const IndexPtr index = find_index(services, exchange->request);
  const std::shared_ptr<const IndexReader> reader = index->reader();
  const SourceFilter source = read_source_filter(address, nullptr, fields_of(reader->settings()));
  read_realtime(address);
  finish(address);
  JsonWriter json;
  const bool is_there =
      write_document(index->name(), *reader, id_in(exchange->request), source, json);
  respond(*exchange, json, is_there ? 200 : 404);
}

void get_many(Services& services, const ExchangePtr& exchange) {
  const Request& request = exchange->request;
  Parameters address(request);
  read_realtime(address);
  for (const char* name : {"_source", "_source_includes", "_source_excludes"}) address.texts(name);
  finish(address);
  const JsonText body(body_or_none(request), "the body");
  Parameters members(body.root(), "the body");
  const rapidjson::Value* const entries = members.json("docs");
  const auto ids = members.texts("ids");
  members.finish();
  if ((entries == nullptr) == !ids) throw illegal_argument("the body needs 'docs' or 'ids'");
  if (entries != nullptr && !entries->IsArray()) throw parsing_error("'docs' is no array");
  if ((ids ? ids->size() : entries->Size()) > kMaxGot) {
    throw illegal_argument("more than " + std::to_string(kMaxGot) + " documents are asked for");
  }
  JsonWriter json;
  json.begin_object();
  json.begin_array("docs");
  if (ids) {
    const IndexPtr index = find_index(services, request);
    const std::shared_ptr<const IndexReader> reader = index->reader();
    const SourceFilter source = read_source_filter(address, nullptr, fields_of(reader->settings()));
    for (const std::string& id : *ids) write_document(index->name(), *reader, id, source, json);
  } else {
    for (const auto& entry : entries->GetArray()) {
      write_got_or_error(services, request, entry, address, json);
    }
  }
  json.end_array();
  json.end_object();
  respond(*exchange, json);
}

void delete_by_query(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const bool commits = read_refresh(address);
  // There are no conflicts, since changes of an index are made one after the other.
  const std::string conflicts = address.text("conflicts").value_or("abort");
  finish(address);
  if (conflicts != "abort" && conflicts != "proceed") {
    throw illegal_argument("conflicts may only be \"proceed\" or \"abort\" but was [" + conflicts +
                           "]");
  }
  const IndexPtr index = find_index(services, exchange->request);
  const AskedQuery query = read_deleted(services, index, exchange->request);
  run_change(services, exchange, index, [exchange, index, query, commits](Writer& writer) {
    Changer changer(*index, writer);
    // What is not committed cannot be searched.
    if (index->uncommitted() > 0) changer.finish(true);
    index->refresh();
    const std::shared_ptr<const IndexReader> reader = index->reader();
    const std::vector<std::uint32_t> documents = matching(*reader, query);
    std::uint64_t deleted = 0;
    for (const std::uint32_t document : documents) {
      const ChangeResult result =
          changer.apply({.kind = ChangeKind::kDelete, .id = reader->id(document)});
      deleted += result.status == 200 ? 1 : 0;
    }
    changer.finish(commits);
    if (!commits) writer.sync();
    respond_deleted(*exchange, documents.size(), deleted);
  });
}

}  // namespace warpdex::server::opensearch
