// What an index of documents holds.
#pragma once

#include <ostream>
#include <string>

#include "warpdex/index_reader.hpp"

namespace warpdex::tools {

/// Settings, counts, bits per posting, lists and the bytes of each section, for people.
void print_index_stats(const IndexReader& index, const IndexStatistics& statistics,
                       std::ostream& out);

/// The same as JSON, with a line end.
std::string index_stats_json(const IndexReader& index, const IndexStatistics& statistics);

}  // namespace warpdex::tools
