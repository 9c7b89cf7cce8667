// Values of options that several commands which write an index have.
#pragma once

#include <cstdint>
#include <string>

namespace warpdex::tools {

/// The value of --memory. Throws UsageError for less than a build needs.
std::uint64_t parse_build_memory(const std::string& text);

/// The value of --on-bad-document, fail or skip: whether they are skipped.
bool skips_bad_documents(const std::string& text);

/// "english, standard, whitespace".
std::string known_analyzers();

}  // namespace warpdex::tools
