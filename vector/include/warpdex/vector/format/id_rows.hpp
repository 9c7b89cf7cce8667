// Which rows have which ids.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// The live row of each id, or -1 where the index has none. Ids of an index without ids are row
/// numbers; numbers may be given as texts, and texts that are no numbers have no row there. Takes
/// memory for the ids. O(rows + ids).
std::vector<std::int64_t> rows_of_ids(const VectorIndex& index, const VectorIds& ids);

}  // namespace warpdex::vector
