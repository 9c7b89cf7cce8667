// Makes valid UTF-8 of any bytes, for JSON. Internal to query/ and tools/.
#pragma once

#include <string>
#include <string_view>

namespace warpdex {

/// `text` itself if it is UTF-8, as all that an index holds. Otherwise each byte that belongs to no
/// character is written as `\xHH`, and each backslash twice, so that no two such texts become the
/// same. O(size).
std::string json_text(std::string_view text);

}  // namespace warpdex
