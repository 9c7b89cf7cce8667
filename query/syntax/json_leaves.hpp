// Query objects without others in them: match and its like. Internal.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>

#include "warpdex/query/query.hpp"

namespace warpdex {

/// `value` is what stands behind the name, at `place`. None for another name. Throws InputError.
std::optional<QueryNode> read_json_leaf(std::string_view name, const rapidjson::Value& value,
                                        const std::string& place);

}  // namespace warpdex
