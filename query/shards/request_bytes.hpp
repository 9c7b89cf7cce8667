// What several requests have: queries, and how they are searched. Internal.
#pragma once

#include <cstddef>
#include <span>

#include "shards/message_bytes.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::shards {

/// The fewest bytes of a query.
inline constexpr std::size_t kQueryBytes = 5;

/// Throws UsageError for more than kMaxBatch, and for trees that parts cannot answer.
void check_queries(std::span<const Query> queries);

/// Terms and tree.
void put_query(MessageWriter& to, const Query& query);
Query take_query(MessageReader& from);

/// All of a request. Throws UsageError as write().
void put_search(MessageWriter& to, const SearchRequest& request);
SearchRequest take_search(MessageReader& from);

}  // namespace warpdex::shards
