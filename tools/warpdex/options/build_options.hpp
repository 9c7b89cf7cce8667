// Values of options that several commands which write an index have.
#pragma once

#include <cstdint>
#include <string>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::tools {

/// The value of --memory. Throws UsageError for less than a build needs.
std::uint64_t parse_build_memory(const std::string& text);

/// The value of --on-bad-document, fail or skip: whether they are skipped.
bool skips_bad_documents(const std::string& text);

/// The text of a file, which may be packed.
std::string text_of_file(const std::string& path);

/// The value of --schema: a file. Throws UsageError, which names it, for what is no schema.
Schema read_schema(const std::string& path);

/// "english, standard, whitespace".
std::string known_analyzers();

}  // namespace warpdex::tools
