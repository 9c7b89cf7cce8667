// Searches of parts by vectors, and by words and vectors. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "shards/whole.hpp"
#include "warpdex/query/hybrid/fusion_settings.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// ShardBroker::nearest().
MergedBatch nearest_in_parts(const Whole& whole, const AskParts& ask, std::span<const float> rows,
                             std::uint32_t k, const BrokerSettings& how);

/// Joins the answers of both halves to the k best of each query.
MergedBatch fuse_parts(const Whole& whole, MergedBatch words, MergedBatch near,
                       const FusionSettings& fusion, std::uint32_t k);

}  // namespace warpdex::shards
