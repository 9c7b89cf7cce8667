// Static scores of documents, from a file of id<TAB>value lines.
#pragma once

#include <filesystem>
#include <functional>

#include "build/id_table.hpp"

namespace warpdex::build {

/// Reads the file (packed ones too, as documents' files). Values are finite and not negative; an
/// id stands in it once; empty lines are passed over. Throws IoError, and InputError with file and
/// line for anything else. `on_read` is an InputStream's.
IdTable read_static_scores(const std::filesystem::path& file,
                           const std::function<void()>& on_read = {});

}  // namespace warpdex::build
