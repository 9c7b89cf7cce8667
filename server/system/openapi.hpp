// The OpenAPI document of all routes: system/openapi.json.
#pragma once

#include <string_view>

namespace warpdex::server {

extern const std::string_view kOpenApi;

}  // namespace warpdex::server
