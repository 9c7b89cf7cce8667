// A part's pages of answers that are sorted by columns. Internal.
#pragma once

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// Without names. `engine` is of the snapshot; `filter` may be null. Throws as SortedSearch.
SortedAnswer search_sorted(const Snapshot& snapshot, CpuEngine& engine,
                           const SortedRequest& request, const DocumentFilter* filter);

}  // namespace warpdex::shards
