// Which words of all parts are near others. Internal.
#pragma once

#include <span>
#include <vector>

#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// What a part answers. Throws UsageError for edits out of range.
NearWordsAnswer near_words(const Snapshot& snapshot, const NearWordsRequest& request);

/// The queries with the near words of their trees chosen, by one round of messages if there are
/// any.
std::vector<Query> with_near_words(const Whole& whole, PartCalls& calls,
                                   std::span<const Query> queries);

}  // namespace warpdex::shards
