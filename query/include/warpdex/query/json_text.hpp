// Text of any bytes as JSON can hold it. Internal to query/ and tools/.
#pragma once

#include <string>
#include <string_view>

namespace warpdex {

/// `text` itself where it is UTF-8. Otherwise each byte that belongs to no character is written as
/// `\xHH`, and each backslash twice. So that no two texts become the same one, UTF-8 that holds a
/// `\x` has its backslashes doubled too. O(size).
std::string json_text(std::string_view text);

}  // namespace warpdex
