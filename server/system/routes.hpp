// What belongs to no face: health, metrics, the description of the routes.
#pragma once

#include <vector>

#include "routes/route.hpp"

namespace warpdex::server::system {

/// `face` renders their errors.
std::vector<Route> routes(const Face& face);

}  // namespace warpdex::server::system
