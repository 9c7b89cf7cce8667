// Verifies what lets an index change: the order of names, the forward index, and what was removed.
#pragma once

#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// Checks that each document is in the order of names once, by its name's hash. Throws FormatError.
/// O(documents).
void check_name_order(const Index& index);

/// Checks that the forward index has the document and collection frequencies of the lists, and that
/// removed documents are counted rightly. Throws FormatError. O(postings); 24 bytes a term.
void check_changes(const Index& index);

}  // namespace warpdex
