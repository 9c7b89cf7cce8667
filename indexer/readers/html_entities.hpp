// What named entities of HTML stand for. Internal to indexer/readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex {

/// Bytes of the longest name.
inline constexpr std::size_t kLongestHtmlEntity = 31;

/// What the entity of that name ("eacute", without & and ;) stands for, in UTF-8; null for a name
/// that HTML does not know. Names differ by case. O(name).
const std::string* html_entity(std::string_view name);

/// Appends a character. `code_point` must be one of Unicode's, no surrogate.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace warpdex
