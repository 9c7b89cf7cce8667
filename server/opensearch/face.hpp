// The subset of OpenSearch's interface that clients use, over the same indexes as /v1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/json_writer.hpp"
#include "routes/parameters.hpp"
#include "routes/route.hpp"
#include "services/services.hpp"

namespace warpdex::server::opensearch {

/// Errors are {"error": {"root_cause": […], "type", "reason"}, "status"}.
extern const Face kFace;

/// All of its routes.
std::vector<Route> routes();

/// Whether an address that no route has is one of OpenSearch's: it is not under /v1, and a segment
/// begins with "_".
bool is_address(const Request& request);
/// The same of one that has no route, or (`has_methods`) none of its method: "/_reindex" is not an
/// index that takes other methods.
bool is_unknown_address(const Request& request, bool has_methods);
/// What such an address is refused with (400).
HttpError no_handler(const Request& request);

/// 400: a parameter or value that is not taken, and a body that is not.
HttpError illegal_argument(const std::string& reason);
HttpError parsing_error(const std::string& reason);

/// What `read` returns. An HttpError of its that is a bad request is one of the body.
template <class Read>
auto read_body(Read&& read) {
  try {
    return read();
  } catch (const HttpError& error) {
    if (error.type() != "bad_request") throw;
    throw parsing_error(error.what());
  }
}

/// Refuses what nobody read of an address. All addresses take `pretty`.
void finish(Parameters& address);
/// Answers with what was written, with line feeds and indents where the address asks for them.
void respond(Exchange& exchange, JsonWriter& json, int status = 200);
/// A body, or {} where there is none.
std::string_view body_or_none(const Request& request);

/// "1m", "500ms" in microseconds. Units are nanos, micros, ms, s, m, h and d. Throws HttpError
/// (400), which calls it `name`, for others, and for more than `most`.
std::chrono::microseconds read_time(std::string_view text, std::string_view name,
                                    std::chrono::microseconds most);

/// {"total": 1, …}: an index is one shard.
void write_shards(JsonWriter& json);

// Handlers, by subject.
void show_root(Services& services, const ExchangePtr& exchange);
void show_indexes(Services& services, const ExchangePtr& exchange);
void show_cluster_health(Services& services, const ExchangePtr& exchange);
void show_one(Services& services, const ExchangePtr& exchange);
void show_mapping(Services& services, const ExchangePtr& exchange);
void create_one(Services& services, const ExchangePtr& exchange);
void remove_one(Services& services, const ExchangePtr& exchange);
void refresh_one(Services& services, const ExchangePtr& exchange);
void analyze(Services& services, const ExchangePtr& exchange);
void search(Services& services, const ExchangePtr& exchange);
void search_many(Services& services, const ExchangePtr& exchange);
void count(Services& services, const ExchangePtr& exchange);
void explain_one(Services& services, const ExchangePtr& exchange);
void next_page(Services& services, const ExchangePtr& exchange);
void clear_scrolls(Services& services, const ExchangePtr& exchange);
void clear_all_scrolls(Services& services, const ExchangePtr& exchange);
void get_one(Services& services, const ExchangePtr& exchange);
void get_many(Services& services, const ExchangePtr& exchange);
void put_one(Services& services, const ExchangePtr& exchange);
void post_one(Services& services, const ExchangePtr& exchange);
void create_document(Services& services, const ExchangePtr& exchange);
void update_one(Services& services, const ExchangePtr& exchange);
void delete_one(Services& services, const ExchangePtr& exchange);
void change_many(Services& services, const ExchangePtr& exchange);
void delete_by_query(Services& services, const ExchangePtr& exchange);

}  // namespace warpdex::server::opensearch
