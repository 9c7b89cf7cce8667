// Searches as parts of requests that have several.
#pragma once

#include <string>

#include "opensearch/search/hits.hpp"

namespace warpdex::server::opensearch {

/// Whether the engine answers it, and not a look at ids.
inline bool is_by_engine(const AskedQuery& query) {
  return query.kind != QueryKind::kAll && query.kind != QueryKind::kIds;
}

/// The answer to another, with its status.
std::string answer_of_equals(const SearchAsk& ask);

}  // namespace warpdex::server::opensearch
