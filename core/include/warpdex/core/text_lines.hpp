// What readers of text files agree on, line by line: byte order marks, other encodings, NUL bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex {

/// Bytes of a file's start that tell its encoding.
inline constexpr std::size_t kEncodingBytes = 4;

/// Throws InputError, which names `file`, if `start`, the file's first bytes, are those of UTF-16
/// or UTF-32: a byte order mark, or two ASCII characters with a NUL before or behind each.
void check_encoding(std::string_view start, const std::string& file);

/// `line` without byte order marks at its start, which files that were joined have at any line.
std::string_view without_byte_order_marks(std::string_view line);

/// Why a line of UTF-8 cannot be read, to stand behind its file and line in a message ("has a NUL
/// …; …", the NUL escaped); empty where there is no NUL.
std::string line_fault(std::string_view line);

}  // namespace warpdex
