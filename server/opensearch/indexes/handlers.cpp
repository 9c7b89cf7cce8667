// Indexes as a whole, and the cluster that a server says it is.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "opensearch/indexes/index_fields.hpp"
#include "warpdex/version.hpp"

namespace warpdex::server::opensearch {
namespace {

/// Whose requests and answers these are.
constexpr const char* kVersion = "2.19.0";

void write_acknowledged(const std::string& name, bool is_created, JsonWriter& json) {
  json.begin_object();
  json.member("acknowledged", true);
  if (is_created) {
    json.member("shards_acknowledged", true);
    json.member("index", name);
  }
  json.end_object();
}

void write_settings(const ServedIndex& index, const IndexReader& reader, JsonWriter& json) {
  json.begin_object("settings");
  json.begin_object("index");
  json.member("number_of_shards", "1");
  json.member("number_of_replicas", "0");
  json.member("provided_name", index.name());
  json.begin_object("analysis");
  json.begin_object("analyzer");
  json.begin_object("default");
  json.member("type", reader.settings().analyzer.name);
  json.end_object();
  json.end_object();
  json.end_object();
  if (!vector_sets(reader.settings()).empty()) json.member("knn", "true");
  json.end_object();
  json.end_object();
}

struct CatRow {
  std::string name;
  std::string documents;
  std::string deleted;
};

std::vector<CatRow> cat_rows(const Services& services, const Request& request) {
  std::vector<CatRow> rows;
  for (const IndexPtr& index : find_indexes(services, request)) {
    const std::shared_ptr<const IndexReader> reader = index->reader();
    rows.push_back({index->name(), std::to_string(reader->documents()),
                    std::to_string(reader->removed_documents())});
  }
  return rows;
}

constexpr const char* kCatColumns[] = {"health", "status",     "index",       "pri",
                                       "rep",    "docs.count", "docs.deleted"};

std::vector<std::string> cells_of(const CatRow& row) {
  return {"green", "open", row.name, "1", "0", row.documents, row.deleted};
}

std::string cat_text(const std::vector<CatRow>& rows, bool has_head) {
  std::vector<std::vector<std::string>> lines;
  if (has_head) lines.emplace_back(std::begin(kCatColumns), std::end(kCatColumns));
  for (const CatRow& row : rows) lines.push_back(cells_of(row));
  std::vector<std::size_t> widths(std::size(kCatColumns));
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += line[i];
      if (i + 1 < line.size()) text.append(widths[i] - line[i].size() + 1, ' ');
    }
    text += '\n';
  }
  return text;
}

/// Commits an index, and calls `done` with null, or with what went wrong.
void commit_index(const IndexPtr& index, const std::function<void(std::exception_ptr)>& done) {
  index->post_change(
      [index, done](Writer& writer) {
        index->commit_changes(writer);
        done(nullptr);
      },
      done);
}

void respond_refreshed(Exchange& exchange, std::size_t indexes) {
  JsonWriter json;
  json.begin_object();
  json.begin_object("_shards");
  json.member("total", indexes);
  json.member("successful", indexes);
  json.member("failed", 0);
  json.end_object();
  json.end_object();
  respond(exchange, json);
}

}  // namespace

void show_root(Services&, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  JsonWriter json;
  json.begin_object();
  json.member("name", "warpdex");
  json.member("cluster_name", "warpdex");
  json.member("cluster_uuid", "_na_");
  json.begin_object("version");
  json.member("distribution", "opensearch");
  json.member("number", kVersion);
  json.member("build_type", "warpdex");
  json.member("build_hash", "warpdex-" WARPDEX_VERSION);
  json.member("build_snapshot", false);
  json.member("minimum_wire_compatibility_version", "7.10.0");
  json.member("minimum_index_compatibility_version", "7.0.0");
  json.end_object();
  json.member("tagline", "The OpenSearch Project: https://opensearch.org/");
  json.end_object();
  respond(*exchange, json);
}

void show_indexes(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const std::string format = address.text("format").value_or("text");
  const bool has_head = address.flag("v").value_or(false);
  finish(address);
  if (format != "text" && format != "json") {
    throw illegal_argument("'format' is text or json, not '" + format + "'");
  }
  const std::vector<CatRow> rows = cat_rows(services, exchange->request);
  if (format == "text") {
    exchange->respond(
        {.content_type = "text/plain; charset=UTF-8", .body = cat_text(rows, has_head)});
    return;
  }
  JsonWriter json;
  json.begin_array();
  for (const CatRow& row : rows) {
    const std::vector<std::string> cells = cells_of(row);
    json.begin_object();
    for (std::size_t i = 0; i < cells.size(); ++i) json.member(kCatColumns[i], cells[i]);
    json.end_object();
  }
  json.end_array();
  respond(*exchange, json);
}

void show_cluster_health(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const auto wanted = address.text("wait_for_status");
  if (const auto time = address.text("timeout")) read_time(*time, "timeout", std::chrono::hours(1));
  finish(address);
  if (wanted && *wanted != "green" && *wanted != "yellow" && *wanted != "red") {
    throw illegal_argument("unknown cluster health status [" + *wanted + "]");
  }
  const std::size_t indexes = find_indexes(services, exchange->request).size();
  const bool is_whole = services.catalog.problems().empty();
  // It stays so: there is nothing to wait for.
  const bool is_too_late = !is_whole && wanted && *wanted != "red";
  JsonWriter json;
  json.begin_object();
  json.member("cluster_name", "warpdex");
  json.member("status", is_whole ? "green" : "red");
  json.member("timed_out", is_too_late);
  json.member("number_of_nodes", 1);
  json.member("number_of_data_nodes", 1);
  json.member("active_primary_shards", indexes);
  json.member("active_shards", indexes);
  for (const char* name : {"relocating_shards", "initializing_shards"}) json.member(name, 0);
  json.member("unassigned_shards", services.catalog.problems().size());
  for (const char* name : {"delayed_unassigned_shards", "number_of_pending_tasks",
                           "number_of_in_flight_fetch", "task_max_waiting_in_queue_millis"}) {
    json.member(name, 0);
  }
  json.member("active_shards_percent_as_number", 100.0);
  json.end_object();
  respond(*exchange, json, is_too_late ? 408 : 200);
}

void show_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const IndexPtr index = find_index(services, exchange->request);
  const std::shared_ptr<const IndexReader> reader = index->reader();
  JsonWriter json;
  json.begin_object();
  json.begin_object(index->name());
  json.begin_object("aliases");
  json.end_object();
  json.key("mappings");
  write_mapping(*reader, json);
  write_settings(*index, *reader, json);
  json.end_object();
  json.end_object();
  respond(*exchange, json);
}

void show_mapping(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  JsonWriter json;
  json.begin_object();
  for (const IndexPtr& index : find_indexes(services, exchange->request)) {
    json.begin_object(index->name());
    json.key("mappings");
    write_mapping(*index->reader(), json);
    json.end_object();
  }
  json.end_object();
  respond(*exchange, json);
}

void create_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const std::string name(exchange->request.arguments[0]);
  try {
    services.catalog.create(name, read_new_index(exchange->request));
  } catch (const HttpError& error) {
    if (error.type() != "index_exists") throw;
    throw HttpError(400, error.type(), "index [" + name + "] already exists");
  }
  JsonWriter json;
  write_acknowledged(name, true, json);
  respond(*exchange, json);
}

void remove_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const std::string name(exchange->request.arguments[0]);
  if (name == "*" || name == "_all") {
    throw illegal_argument("[" + name + "] would remove all indexes; name one");
  }
  find_index(services, name);
  services.catalog.remove(name, [&services, exchange, name](const std::exception_ptr& failure) {
    if (failure) return fail(services, *exchange, failure);
    JsonWriter json;
    write_acknowledged(name, false, json);
    respond(*exchange, json);
  });
}

void refresh_one(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const std::vector<IndexPtr> indexes = find_indexes(services, exchange->request);
  if (indexes.empty()) return respond_refreshed(*exchange, 0);
  struct Progress {
    std::atomic<std::size_t> left;
    std::atomic<bool> has_failed = false;
  };
  const auto progress = std::make_shared<Progress>();
  progress->left = indexes.size();
  const std::size_t count = indexes.size();
  for (const IndexPtr& index : indexes) {
    const auto done = [&services, exchange, progress, count](const std::exception_ptr& failure) {
      if (failure && !progress->has_failed.exchange(true)) fail(services, *exchange, failure);
      if (progress->left.fetch_sub(1) > 1 || progress->has_failed) return;
      respond_refreshed(*exchange, count);
    };
    try {
      commit_index(index, done);
    } catch (...) {
      done(std::current_exception());
    }
  }
}

}  // namespace warpdex::server::opensearch
