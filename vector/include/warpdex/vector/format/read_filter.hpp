// Which rows of an index a file allows.
#pragma once

#include <string>

#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// The rows that have those ids. Ids of an index without ids are row numbers; numbers may be given
/// as texts. An id that the index does not have, or had and was removed, allows nothing; `unknown`,
/// if it is not null, tells of these. O(rows + ids).
RowFilter filter_of_ids(const VectorIndex& index, const VectorIds& ids,
                        UnknownIds* unknown = nullptr);

/// Reads a filter: a .npy file of bool, one a row, or ids as read_id_set() takes them. Throws as
/// that does, and InputError for a .npy file of bool of another length.
RowFilter read_filter(const VectorIndex& index, const std::string& path,
                      UnknownIds* unknown = nullptr);

}  // namespace warpdex::vector
