// _bulk: many changes in one request, of one index or several.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "opensearch/documents/changes.hpp"
#include "opensearch/search/hits.hpp"
#include "routes/json_lines.hpp"

namespace warpdex::server::opensearch {
namespace {

/// A line of an action, with what stands behind it.
struct BulkItem {
  IndexPtr index{};  ///< none: there is none, or it cannot be changed
  std::string index_name{};
  std::string id{};
  ChangeKind kind = ChangeKind::kIndex;
  DocumentChange change{};
  ChangeResult result{};  ///< of one that is refused before it is tried
};

struct Bulk {
  std::vector<BulkItem> items{};
  std::vector<IndexPtr> indexes{};  ///< in the order in which they come
  bool commits = false;
};

ChangeResult result_of(const HttpError& error, const Request& request) {
  const JsonText rendered(kFace.render(error, request), "an error");
  return {error.status(), {}, rendered.root()["error"]["type"].GetString(), error.what()};
}

/// The fields of an index, which are looked up once.
class FieldsByIndex {
 public:
  const IndexFields& of(const IndexPtr& index) {
    const auto found = all_.find(index.get());
    if (found != all_.end()) return found->second;
    return all_.emplace(index.get(), fields_of(index->reader()->settings())).first->second;
  }

 private:
  std::map<const ServedIndex*, IndexFields> all_;
};

class BulkReader {
 public:
  BulkReader(const Services& services, const Request& request)
      : services_(services), request_(request), lines_(request.body) {}

  /// False at the end. A fault of the form of the lines throws; one of a document is its result.
  bool next(BulkItem& item) {
    std::string_view line;
    if (!lines_.next(line)) return false;
    const std::string name = lines_.name();
    read_action(line, name, item);
    if (item.kind == ChangeKind::kDelete) return true;
    if (!lines_.next(line)) {
      throw illegal_argument("the action of " + name + " has no document behind it");
    }
    if (item.index) read_document(line, item);
    return true;
  }

 private:
  void read_action(std::string_view line, const std::string& name, BulkItem& item) {
    const JsonText json(line, name);
    if (!json.root().IsObject() || json.root().MemberCount() != 1) {
      throw illegal_argument("Malformed action/metadata line [" + name.substr(5) +
                             "], expected an object with one action");
    }
    const auto& member = *json.root().MemberBegin();
    const std::string_view action(member.name.GetString(), member.name.GetStringLength());
    const std::optional<ChangeKind> kind = change_from_name(action);
    if (!kind) {
      throw illegal_argument("Malformed action/metadata line [" + name.substr(5) + "], found [" +
                             std::string(action) +
                             "] but expected one of index, create, update, delete");
    }
    item.kind = item.change.kind = *kind;
    Parameters members(member.value, "the action of " + name);
    auto id = members.text("_id");
    const auto index = members.text("_index");
    members.finish();
    if (!id && (*kind == ChangeKind::kUpdate || *kind == ChangeKind::kDelete)) {
      throw illegal_argument("the action of " + name + " has no '_id'");
    }
    item.id = id ? std::move(*id) : new_document_id();
    item.change.id = item.id;
    find(index.value_or(""), item);
  }

  void find(const std::string& name, BulkItem& item) {
    try {
      item.index = name.empty() ? find_index(services_, request_) : find_index(services_, name);
      item.index_name = item.index->name();
    } catch (const HttpError& error) {
      item.index_name = name;
      item.result = result_of(error, request_);
    }
  }

  void read_document(std::string_view line, BulkItem& item) {
    const std::string name = lines_.name();
    const JsonText json(line, name);
    try {
      const IndexFields& fields = fields_.of(item.index);
      if (item.kind == ChangeKind::kUpdate) {
        item.change = read_update(json.root(), fields, name, std::move(item.change.id));
      } else {
        item.change.source = read_source_document(json.root(), fields, name);
      }
    } catch (const HttpError& error) {
      item.index = nullptr;
      item.result = result_of(error, request_);
    }
  }

  const Services& services_;
  const Request& request_;
  JsonLines lines_;
  FieldsByIndex fields_;
};

std::shared_ptr<Bulk> read_bulk(const Services& services, const Request& request) {
  auto bulk = std::make_shared<Bulk>();
  BulkReader reader(services, request);
  for (BulkItem item; reader.next(item); item = {}) {
    if (item.index && std::ranges::find(bulk->indexes, item.index) == bulk->indexes.end()) {
      bulk->indexes.push_back(item.index);
    }
    bulk->items.push_back(std::move(item));
  }
  if (bulk->items.empty()) throw illegal_argument("request body is required");
  return bulk;
}

void respond_bulk(const Services& services, Exchange& exchange, const Bulk& bulk) {
  JsonWriter json;
  json.begin_object();
  json.member("took", millis_since(exchange.request.arrival));
  json.member("errors", std::ranges::any_of(bulk.items, [](const BulkItem& item) {
                return !item.result.type.empty();
              }));
  json.begin_array("items");
  for (const BulkItem& item : bulk.items) {
    json.begin_object();
    json.begin_object(change_name(item.kind));
    write_result(item.index_name, item.id, item.result, json);
    json.member("status", item.result.status);
    if (!item.result.type.empty()) {
      json.begin_object("error");
      json.member("type", item.result.type);
      json.member("reason", services.catalog.without_folders(item.result.reason));
      json.end_object();
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  respond(exchange, json);
}

/// The changes of one index.
void change_items(const IndexPtr& index, Writer& writer, Bulk& bulk) {
  Changer changer(*index, writer);
  for (BulkItem& item : bulk.items) {
    if (item.index != index) continue;
    item.result = changer.apply(std::move(item.change));
  }
  changer.finish(bulk.commits);
}

/// An index that refuses all changes, as one that another process has open.
void fail_items(const IndexPtr& index, const std::exception_ptr& failure, const Request& request,
                Bulk& bulk) {
  for (BulkItem& item : bulk.items) {
    if (item.index == index) item.result = result_of(http_error_of(failure), request);
  }
}

/// The changes of the indexes from a place on, one index after the other.
void change_indexes(Services& services, const ExchangePtr& exchange,
                    const std::shared_ptr<Bulk>& bulk, std::size_t at) {
  if (at == bulk->indexes.size()) return respond_bulk(services, *exchange, *bulk);
  const IndexPtr index = bulk->indexes[at];
  const auto failed = [&services, exchange, bulk, index, at](const std::exception_ptr& failure) {
    try {
      fail_items(index, failure, exchange->request, *bulk);
      change_indexes(services, exchange, bulk, at + 1);
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  };
  const auto change = [bulk, index](Writer& writer) { change_items(index, writer, *bulk); };
  const auto go_on = [&services, exchange, bulk, at] {
    try {
      change_indexes(services, exchange, bulk, at + 1);
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  };
  try {
    if (!bulk->commits) return index->post_durable_change(change, go_on, failed);
    index->post_change(
        [change, go_on](Writer& writer) {
          change(writer);
          go_on();
        },
        failed);
  } catch (...) {
    failed(std::current_exception());
  }
}

}  // namespace

void change_many(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const bool commits = read_refresh(address);
  finish(address);
  const std::shared_ptr<Bulk> bulk =
      read_body([&] { return read_bulk(services, exchange->request); });
  bulk->commits = commits;
  change_indexes(services, exchange, bulk, 0);
}

}  // namespace warpdex::server::opensearch
