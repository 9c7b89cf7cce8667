// Where a text may be cut without cutting what a reader takes for one character. Internal to query.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpdex {

/// The nearest border of graphemes (Unicode's extended grapheme clusters) at or before `offset`,
/// and at or after it. Offsets are in bytes, past the end they mean the end; the text must be valid
/// UTF-8. What is more than 64 KiB away is not looked at, so that a border in a grapheme of that
/// size is found in bounded time.
std::size_t grapheme_border_before(std::string_view text, std::size_t offset);
std::size_t grapheme_border_after(std::string_view text, std::size_t offset);

}  // namespace warpdex
