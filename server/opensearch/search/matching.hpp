// The documents that match a query, without scores: for scrolls and deletions, which have no k.
#pragma once

#include <cstdint>
#include <vector>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// The docIDs of live documents, ascending. Of a query by words, by ids or for all. O(postings of
/// its terms), or O(documents).
std::vector<std::uint32_t> matching(const IndexReader& reader, const AskedQuery& query);

}  // namespace warpdex::server::opensearch
