// The server's own face: /v1.
#pragma once

#include <vector>

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
void search_by_address(Services& services, const ExchangePtr& exchange);
void search_by_body(Services& services, const ExchangePtr& exchange);

}  // namespace warpdex::server::v1
