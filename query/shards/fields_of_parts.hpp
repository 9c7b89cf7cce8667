// What hits show of documents that are in parts. Internal.
#pragma once

#include <span>

#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// What a part answers. Throws UsageError for documents and fields that are not there.
FoundTermsAnswer found_terms(const Snapshot& snapshot, const FoundTermsRequest& request);
FieldsAnswer fields_of(const Snapshot& snapshot, const FieldsRequest& request);

/// Asks for BrokerSettings::shown, each part for its own documents, and puts the fields in the
/// answers to the queries, whose near words are chosen. Where snippets mark the terms of prefixes,
/// patterns and ranges, all parts are asked for these first, since fields may have words that are
/// searched in other parts alone.
void add_fields(const Whole& whole, PartCalls& calls, const BrokerSettings& how,
                std::span<const Query> queries, std::span<MergedAnswer> answers);

}  // namespace warpdex::shards
