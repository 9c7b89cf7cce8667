// Statistics in messages. Internal.
#pragma once

#include <vector>

#include "shards/message_bytes.hpp"

namespace warpdex::shards {

void put_frequencies(MessageWriter& to, const TermFrequencies& frequencies);
TermFrequencies take_frequencies(MessageReader& from);

void put_collection(MessageWriter& to, const CollectionStatistics& collection,
                    const std::vector<CollectionStatistics>& texts);
void take_collection(MessageReader& from, CollectionStatistics& collection,
                     std::vector<CollectionStatistics>& texts);

}  // namespace warpdex::shards
