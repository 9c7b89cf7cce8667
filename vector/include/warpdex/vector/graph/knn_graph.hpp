// The k-NN graph: for each row the rows that are nearest to it.
#pragma once

#include <cstddef>
#include <functional>

#include "warpdex/vector/graph/row_search.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {

struct KnnGraphSettings {
  std::size_t k = 10;              ///< neighbours of a row, 1 to the number of live rows less one
  std::size_t part_rows = 0x1000;  ///< rows that are searched at a time, 1 or more
};

/// Takes the lists of rows `first` to `first + lists.queries`, `lists.k` places each.
using TakeLists = std::function<void(std::size_t first, const Neighbors& lists)>;

/// Finds the k nearest other rows of each row, by searching for every live row of `stored`. A row
/// is never in its own list, even if others are as near or nearer. The list of a removed row has
/// only missing places. `take` gets the lists part by part, in the order of rows; what it throws
/// ends the work. Lists are exact if the search is; if it finds too few rows, places are missing.
/// *Billion-scale similarity search with GPUs*, section 6.5. O(rows * search). Memory: the rows and
/// the answers of a part. Throws UsageError for fewer than 2 live rows, a k out of range and parts
/// of 0 rows, and what `search` throws.
void build_knn_graph(const StoredRows& stored, const KnnGraphSettings& settings,
                     const RowSearch& search, const TakeLists& take);

}  // namespace warpdex::vector
