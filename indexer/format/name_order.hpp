// From a document's name to its docID: docIDs in the order of their names' hashes.
// docs/format.md, "Sections".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpdex {

/// The upper 32 bits of the name's XXH3.
std::uint32_t name_hash(std::string_view name);

/// DocIDs sorted by their hashes (`hashes` is by docID); equal hashes by docID. O(n log n).
std::vector<std::uint32_t> order_by_hash(const std::vector<std::uint32_t>& hashes);

}  // namespace warpdex
