// Values of columns, as JSON has them.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::server {

/// Of a text, a number, true, false or an array of these; null has none. None for anything else.
std::optional<std::vector<FieldValue>> values_of_json(const rapidjson::Value& json);

}  // namespace warpdex::server
