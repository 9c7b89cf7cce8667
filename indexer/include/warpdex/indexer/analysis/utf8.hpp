// UTF-8 validation, for the analyzers and for readers of queries.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpdex::analysis {

/// Bytes at the front of `text` that are ASCII. Reads eight bytes at a time.
std::size_t ascii_prefix(std::string_view text);

/// Offset of the first byte that does not begin or continue well-formed UTF-8 (a stray or missing
/// continuation byte, an overlong form, a surrogate, past U+10FFFF), at the start of the ill-formed
/// sequence; the text's size if there is none. O(text).
std::size_t find_invalid_utf8(std::string_view text);

/// Throws InputError, naming the byte, if `text` is not UTF-8.
void require_utf8(std::string_view text);

}  // namespace warpdex::analysis
