// What an index of vectors holds.
#pragma once

#include <ostream>
#include <string>

#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// Settings, counts, lists and the bytes of each section, for people.
void print_vector_stats(const VectorIndex& index, std::ostream& out);

/// The same as JSON, with a line end.
std::string vector_stats_json(const VectorIndex& index);

}  // namespace warpdex::tools
