// Verifies stored documents.
#pragma once

#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// Checks that each document's block unpacks and has its record, and that blocks hold nothing else.
/// Throws FormatError. O(their bytes, unpacked).
void check_stored(const Index& index);

}  // namespace warpdex
