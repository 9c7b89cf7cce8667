// The page for people at "/".
#pragma once

#include <vector>

#include "routes/route.hpp"

namespace warpdex::server::page {

/// Whether a request for "/" comes from a browser: its Accept names text/html. Programs ask there,
/// too, and get JSON.
bool wants_page(const Request& request);

/// Answers such a request with the page.
void show_page(Services& services, const ExchangePtr& exchange);

/// Those of the page's files. `face` renders their errors.
std::vector<Route> routes(const Face& face);

}  // namespace warpdex::server::page
