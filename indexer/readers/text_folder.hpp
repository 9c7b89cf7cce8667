// The files of a folder that is read as a collection, links followed.
#pragma once

#include <string>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// The paths below `folder` of its regular files and of links to such, in the order of the paths'
/// bytes. Links to folders are followed; each folder is walked once, by its own path before any
/// link's, so links may go round in a circle. Counts in `left_out` what is passed over. Throws
/// IoError for a folder that cannot be listed.
std::vector<std::string> walk_folder(const std::string& folder, LeftOut& left_out);

}  // namespace warpdex
