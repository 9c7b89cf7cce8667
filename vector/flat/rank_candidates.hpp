// Ranks what was found by codes by the vectors in the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "flat/search_input.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// Sets the answers of some queries, from `first` on, to the nearest of the rows that were found
/// for them, by canonical distances, on all threads. `found` has as many rows for each, query after
/// query; negative ones do not count.
void rank_candidates(const FlatVectors& vectors, const PreparedQueries& queries, std::size_t first,
                     std::size_t count, std::span<const std::int32_t> found, Neighbors& answers);

}  // namespace warpdex::vector
