// Facets of parts: what one counts, and the sums of all. Internal.
#pragma once

#include <span>
#include <vector>

#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// What a part counts. `filter` may be null. Throws as count_facet().
FacetsAnswer count_facets(const Snapshot& snapshot, const FacetsRequest& request,
                          const DocumentFilter* filter);

/// Asks the parts for BrokerSettings::facets, and puts facets and matches in the answers to the
/// queries. `modes`: which documents match, kAnd or kOr.
void add_facets(const Whole& whole, PartCalls& calls, const BrokerSettings& how,
                std::span<const Query> queries, std::vector<QueryMode> modes,
                std::span<MergedAnswer> answers);

}  // namespace warpdex::shards
