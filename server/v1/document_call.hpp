// Documents as JSON.
#pragma once

#include <string>

#include "routes/parameters.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::server::v1 {

/// {"text", "fields", "vector", "weights"} as NewDocument has them; `id` is the document's. Throws
/// HttpError (400) for others. `what` names it in messages.
NewDocument read_document(const rapidjson::Value& json, const std::string& what, std::string id);

/// The same with the member "id".
NewDocument read_document(const rapidjson::Value& json, const std::string& what);

}  // namespace warpdex::server::v1
