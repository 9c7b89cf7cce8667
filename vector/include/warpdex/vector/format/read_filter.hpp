// Which rows of an index a file allows.
#pragma once

#include <string>

#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// The rows that have those ids. Ids of an index without ids are row numbers; numbers may be given
/// as texts. Throws InputError, with its line or row, for an id that the index does not have, or
/// had and was removed; messages call the ids `name`. O(rows + ids).
RowFilter filter_of_ids(const VectorIndex& index, const VectorIds& ids,
                        const std::string& name = "the filter");

/// Reads a filter: a .npy file of bool, one a row, or ids as read_id_set() takes them. Throws as
/// read_id_set() and filter_of_ids() do, and InputError for a .npy file of bool of another length.
RowFilter read_filter(const VectorIndex& index, const std::string& path);

}  // namespace warpdex::vector
