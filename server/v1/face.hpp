// The server's own face: /v1.
#pragma once

#include <vector>

#include "http/json_writer.hpp"
#include "routes/route.hpp"
#include "services/services.hpp"

namespace warpdex::server::v1 {

/// Errors are {"error": {"status", "type", "reason"}, "request_id"}.
extern const Face kFace;

/// All of its routes.
std::vector<Route> routes();

// Handlers, by subject.
void list_indexes(Services& services, const ExchangePtr& exchange);
void show_index(Services& services, const ExchangePtr& exchange);
void create_index(Services& services, const ExchangePtr& exchange);
void remove_index(Services& services, const ExchangePtr& exchange);
void search_by_address(Services& services, const ExchangePtr& exchange);
void search_by_body(Services& services, const ExchangePtr& exchange);
void search_batch(Services& services, const ExchangePtr& exchange);
void find_similar(Services& services, const ExchangePtr& exchange);
void find_nearest(Services& services, const ExchangePtr& exchange);
void get_document(Services& services, const ExchangePtr& exchange);
void put_document(Services& services, const ExchangePtr& exchange);
void remove_document(Services& services, const ExchangePtr& exchange);
void change_documents(Services& services, const ExchangePtr& exchange);
void commit(Services& services, const ExchangePtr& exchange);
void merge(Services& services, const ExchangePtr& exchange);
void refresh(Services& services, const ExchangePtr& exchange);
void make_snapshot(Services& services, const ExchangePtr& exchange);

/// Facts of an index as an object.
void write_index(const ServedIndex& index, JsonWriter& json);
/// The members `commit` and `notes` of a change.
void write_commit(const CommitReport& report, JsonWriter& json);

}  // namespace warpdex::server::v1
