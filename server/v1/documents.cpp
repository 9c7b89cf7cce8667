// Documents: read, put, removed, one by one and many at once. A change is answered once it is in
// the index's journal and flushed, so it outlives the process; searches see it after a commit.
#include <utility>

#include "routes/json_lines.hpp"
#include "v1/document_call.hpp"
#include "v1/face.hpp"

namespace warpdex::server::v1 {
namespace {

/// What a line of a bulk asks for.
enum class Action : std::uint8_t { kAdd, kPut, kRemove };

struct Item {
  Action action = Action::kPut;
  NewDocument document{};  ///< of kRemove, the id alone
};

/// What became of it.
struct ItemResult {
  int status = 200;
  const char* result = "";
  std::string reason{};  ///< of one that failed
};

Item read_item(std::string_view line, const std::string& name) {
  const JsonText json(line, name);
  if (!json.root().IsObject() || json.root().MemberCount() != 1) {
    throw bad_request(name + R"( must be {"put": …}, {"add": …} or {"delete": …})");
  }
  const auto& member = *json.root().MemberBegin();
  const std::string_view action(member.name.GetString(), member.name.GetStringLength());
  const std::string what = "the document of " + name;
  if (action == "put") return {Action::kPut, read_document(member.value, what)};
  if (action == "add") return {Action::kAdd, read_document(member.value, what)};
  if (action != "delete") {
    throw bad_request(name + " has '" + std::string(action) + "'; there are put, add and delete");
  }
  Parameters members(member.value, what);
  std::optional<std::string> id = members.text("id");
  members.finish();
  if (!id) throw bad_request(what + " has no 'id'");
  return {Action::kRemove, NewDocument{std::move(*id)}};
}

ItemResult apply(Item& item, Writer& writer) {
  const std::string id = item.document.id;
  try {
    if (item.action == Action::kRemove) {
      if (writer.remove(id)) return {200, "deleted"};
      return {404, "not_found", "there is no document '" + id + "'"};
    }
    const bool is_known = writer.has(id);
    if (item.action == Action::kAdd) {
      if (is_known) return {409, "exists", "there is a document '" + id + "' already"};
      writer.add(std::move(item.document));
      return {201, "created"};
    }
    writer.update(std::move(item.document));
    return is_known ? ItemResult{200, "updated"} : ItemResult{201, "created"};
  } catch (const UsageError& error) {
    return {400, "refused", error.what()};
  } catch (const InputError& error) {
    return {400, "refused", error.what()};
  }
}

/// Of a request that changes: whether it commits, too.
bool read_commits(const Request& request) {
  Parameters parameters(request);
  const bool commits = parameters.flag("commit").value_or(false);
  parameters.finish();
  return commits;
}

/// An answer whose object ends with `end`.
Response closed(Response response, const std::string& end) {
  response.body.pop_back();
  response.body += end + "\n";
  return response;
}

/// Runs a change, which gives the answer, and answers once it is durable, or
/// with its commit where the client wants one.
void answer_change(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                   bool commits, std::function<Response(Writer&)> change) {
  if (commits) {
    return run_change(services, exchange, index, [exchange, index, change](Writer& writer) {
      Response response = change(writer);
      const CommitReport report = index->commit_changes(writer);
      JsonWriter json;
      json.begin_object();
      write_commit(report, json);
      json.end_object();
      exchange->respond(closed(std::move(response), "," + json.take().substr(1)));
    });
  }
  const auto response = std::make_shared<Response>();
  run_durable_change(
      services, exchange, index,
      [response, change = std::move(change)](Writer& writer) { *response = change(writer); },
      [exchange, response] { exchange->respond(closed(std::move(*response), "}")); });
}

void change_one(Services& services, const ExchangePtr& exchange, Item item) {
  const bool commits = read_commits(exchange->request);
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  auto kept = std::make_shared<Item>(std::move(item));
  answer_change(services, exchange, index, commits, [index, kept](Writer& writer) -> Response {
    const std::string id = kept->document.id;
    const ItemResult result = apply(*kept, writer);
    if (result.status >= 400) {
      throw HttpError(result.status, result.status == 404 ? "document_not_found" : "bad_document",
                      result.reason);
    }
    index->count_changes(1);
    JsonWriter json;
    json.begin_object();
    json.member("document", id);
    json.member("result", result.result);
    json.end_object();
    return {.status = result.status, .body = json.take()};
  });
}

void write_vector(const IndexReader& reader, std::uint32_t document, const std::string& field,
                  std::string_view name, JsonWriter& json) {
  json.begin_array(name);
  for (const float component : reader.vector(document, field)) json.value(component);
  json.end_array();
}

/// The vector without a name, or those of the schema's fields, or both.
void write_vectors(const IndexReader& reader, std::uint32_t document, JsonWriter& json) {
  const std::vector<Field> fields = vector_fields(reader.settings().schema);
  if (reader.settings().vectors || fields.empty())
    write_vector(reader, document, "", "vector", json);
  if (fields.empty()) return;
  json.begin_object("vectors");
  for (const Field& field : fields) write_vector(reader, document, field.name, field.name, json);
  json.end_object();
}

void write_items(const std::vector<Item>& items, const std::vector<std::string>& ids,
                 const std::vector<ItemResult>& results, JsonWriter& json) {
  json.begin_array("items");
  for (std::size_t i = 0; i < items.size(); ++i) {
    json.begin_object();
    json.member("document", ids[i]);
    json.member("status", results[i].status);
    json.member("result", results[i].result);
    if (!results[i].reason.empty()) json.member("reason", results[i].reason);
    json.end_object();
  }
  json.end_array();
}

/// Applies all lines of a body, once all could be read. The answer says what became of each.
Response change_all(const Services& services, std::string_view body, ServedIndex& index,
                    Writer& writer) {
  std::vector<Item> items;
  std::vector<std::string> ids;
  JsonLines lines(body);
  for (std::string_view line; lines.next(line);) {
    items.push_back(read_item(line, lines.name()));
    ids.push_back(items.back().document.id);
  }
  std::vector<ItemResult> results;
  std::uint64_t failed = 0;
  for (Item& item : items) {
    results.push_back(apply(item, writer));
    if (results.back().status < 400) continue;
    ++failed;
    results.back().reason = services.catalog.without_folders(results.back().reason);
  }
  index.count_changes(items.size() - failed);
  JsonWriter json;
  json.begin_object();
  json.member("failed", failed);
  write_items(items, ids, results, json);
  json.end_object();
  return {.body = json.take()};
}

}  // namespace

void get_document(Services& services, const ExchangePtr& exchange) {
  Parameters parameters(exchange->request);
  const bool with_vector = parameters.flag("vector").value_or(false);
  parameters.finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  const std::string_view id = exchange->request.arguments[1];
  const std::shared_ptr<const IndexReader> reader = index->reader();
  const std::optional<std::uint32_t> document = reader->find(id);
  if (!document) {
    throw HttpError(404, "document_not_found", "there is no document '" + std::string(id) + "'");
  }
  JsonWriter json;
  json.begin_object();
  json.member("document", id);
  json.member("commit", reader->commit());
  json.member("length", reader->length(*document));
  if (!reader->settings().stored_fields.empty()) {
    json.begin_object("fields");
    for (const auto& [name, text] : reader->stored(*document)) json.member(name, text);
    json.end_object();
  }
  if (with_vector) write_vectors(*reader, *document, json);
  json.end_object();
  exchange->respond({.body = json.take() + "\n"});
}

void put_document(Services& services, const ExchangePtr& exchange) {
  const Request& request = exchange->request;
  const JsonText body(request.body, "the body");
  change_one(
      services, exchange,
      {Action::kPut, read_document(body.root(), "the body", std::string(request.arguments[1]))});
}

void remove_document(Services& services, const ExchangePtr& exchange) {
  change_one(services, exchange,
             {Action::kRemove, NewDocument{std::string(exchange->request.arguments[1])}});
}

void change_documents(Services& services, const ExchangePtr& exchange) {
  const bool commits = read_commits(exchange->request);
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  answer_change(services, exchange, index, commits, [&services, exchange, index](Writer& writer) {
    return change_all(services, exchange->request.body, *index, writer);
  });
}

}  // namespace warpdex::server::v1
