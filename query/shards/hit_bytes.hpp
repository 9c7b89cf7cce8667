// Hits of a part in a message, with their documents' names where these are wanted. Internal.
#pragma once

#include <string>
#include <vector>

#include "shards/message_bytes.hpp"

namespace warpdex::shards {

void put_hits(MessageWriter& to, const std::vector<Hit>& hits,
              const std::vector<std::string>& names);
/// At most kMaxK, with no name or one for each. Throws FormatError for others, and for scores that
/// are no numbers.
void take_hits(MessageReader& from, std::vector<Hit>& hits, std::vector<std::string>& names);

}  // namespace warpdex::shards
