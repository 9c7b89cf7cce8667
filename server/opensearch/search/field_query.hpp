// What all queries by words check: their fields, texts and boosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// Throws HttpError (400) unless the field is searched, and by itself.
void check_field(const std::string& name, const IndexFields& fields);
/// Throws HttpError (400) unless the fields are all that are searched.
void check_all_fields(const std::vector<std::string>& names, const IndexFields& fields);
void check_text(const std::string& text, const QueryContext& context);
/// The member boost, above 0.
float read_boost(Parameters& members);

}  // namespace warpdex::server::opensearch
