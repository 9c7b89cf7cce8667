// The text that HTML and SGML write with entities.
#pragma once

#include <string>
#include <string_view>

namespace warpdex {

/// Appends `text` with its entities decoded: named ones of HTML and numeric ones, each with its
/// semicolon. Those that are not known stay as they are. O(text).
void append_decoded(std::string& out, std::string_view text);

}  // namespace warpdex
