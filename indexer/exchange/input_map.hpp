// An input as one mapped stretch of memory, wherever it comes from.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "warpdex/core/mapped_file.hpp"
#include "warpdex/indexer/readers/unpacker.hpp"

namespace warpdex::exchange {

/// Maps a file. Throws IoError, which names it.
MappedFile map_file(const std::filesystem::path& file);

/// Maps a file; a packed one, a pipe, and standard input ("-") are first copied, unpacked, into
/// `scratch`. `on_read` and `unpack_limit` are an InputStream's. Throws IoError, and InputError for
/// damaged packing.
MappedFile map_input(const std::filesystem::path& file, const std::filesystem::path& scratch,
                     const std::function<void()>& on_read, const UnpackLimit& unpack_limit);

/// What messages call the input: the path, or "<stdin>".
std::string input_name(const std::filesystem::path& file);

}  // namespace warpdex::exchange
