// Explanations of scores in OpenSearch's shape.
#pragma once

#include <string_view>

#include "http/json_writer.hpp"
#include "warpdex/query/explanation.hpp"

namespace warpdex::server::opensearch {

/// The member `name`: value, description and details, in each other.
void write_explanation(std::string_view name, const Explanation& explanation, JsonWriter& json);

}  // namespace warpdex::server::opensearch
