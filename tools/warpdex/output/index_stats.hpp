// What an index of documents holds.
#pragma once

#include <ostream>
#include <string>

#include "output/index_figures.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex::tools {

/// Settings, counts, bits per posting, lists and the bytes of each section, for people.
void print_index_stats(const Snapshot& index, const IndexFigures& statistics, std::ostream& out);

/// The same as JSON, with a line end.
std::string index_stats_json(const Snapshot& index, const IndexFigures& statistics);

}  // namespace warpdex::tools
