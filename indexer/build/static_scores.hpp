// Static scores of documents, from a file of id<TAB>value lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "build/id_table.hpp"

namespace warpdex::build {

/// Reads the file (packed ones too, as documents' files). Values are finite and not negative; an
/// id stands in it once; empty lines are passed over. Throws IoError, and InputError with file and
/// line for anything else. `on_read` is an InputStream's. Half of `memory` may be taken to unpack
/// it.
IdTable read_static_scores(const std::filesystem::path& file,
                           const std::function<void()>& on_read = {},
                           std::uint64_t memory = std::uint64_t{1} << 30);

}  // namespace warpdex::build
