// What every document must satisfy, whatever its format: UTF-8, and an id that output can name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// Throws BadDocument unless `bytes`, a record as it lies in its file, is UTF-8 without NUL; the
/// message guesses what the bytes are instead (Latin-1, UTF-16, a binary file) and what to do.
void check_utf8(std::string_view bytes, const Location& location);

/// The character at `at`, which moves behind it; U+FFFD where the text is not UTF-8.
char32_t take_character(std::string_view text, std::size_t& at);

/// Unicode's White_Space.
bool is_white_space(char32_t character);
/// Unicode's Default_Ignorable_Code_Point: soft hyphens, marks of direction, joiners and the like.
bool is_without_width(char32_t character);
/// Those without width that words and emoji are written with: ZWNJ, ZWJ and variation selectors.
bool belongs_to_writing(char32_t character);

/// Why runs and qrels could not name an id, as "holds …; …" to stand behind it in a message; empty
/// if they could. It holds white space, a control character (U+0000 to U+001F, U+007F to U+009F),
/// or a character without width. Allowed are joiners between two characters that are not ASCII,
/// and variation selectors behind one.
std::string id_fault(std::string_view id);

/// Throws BadDocument for an id that is empty or has an id_fault().
void check_id(std::string_view id, const Location& location);

/// Throws BadDocument with "LOCATION: SENTENCE".
[[noreturn]] void fail_document(const Location& location, std::string_view sentence);

/// `text` without the ASCII white space at its ends.
std::string_view trimmed(std::string_view text);

/// `text` with each byte of control characters replaced by `instead`, so that it cannot command a
/// terminal.
std::string without_controls(std::string text, char instead);

/// `text` for use in a message: at most 60 bytes of it, control characters as '?'.
std::string excerpt(std::string_view text);

}  // namespace warpdex
