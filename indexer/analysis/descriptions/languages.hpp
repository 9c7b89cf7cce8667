// The analyzers that have names. Internal to indexer/analysis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/descriptions/description.hpp"

namespace warpdex::analysis {

/// What a name is short for, in that version; none for another name.
std::optional<Description> named_description(std::string_view name, std::uint32_t version);

/// english, standard, whitespace, keyword, cjk, thai, and the languages of libstemmer.
std::vector<std::string> description_names();

}  // namespace warpdex::analysis
