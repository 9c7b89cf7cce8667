// Makes valid UTF-8 of any bytes, for JSON. Internal to query/ and tools/.
#pragma once

#include <string>
#include <string_view>

namespace warpdex {

/// `text` itself if it is UTF-8. Otherwise each byte that belongs to no character is written as
/// `\xHH`, and each backslash twice. UTF-8 that holds a `\x` has its backslashes doubled too, so
/// that no two texts become the same. O(size).
std::string json_text(std::string_view text);

}  // namespace warpdex
