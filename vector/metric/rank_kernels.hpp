// How far the permutation of a query is from those of a run of objects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// A query's permutation, in the forms that the kernels read.
struct QueryRanks {
  const void* ranks;           ///< a row as in Permutations
  const std::uint32_t* order;  ///< the permutants, nearest first
};

/// out[i] for each of `count` rows from `rows` on, but not by kBits (rank_codes.hpp). kTau takes
/// O(m² / 64) a row of m permutants, the others O(m).
void compare_ranks(RankDistance distance, const QueryRanks& query, const void* rows,
                   std::size_t permutants, std::size_t count, std::uint32_t* out);

/// No distance of two permutations is larger; at most 2^32 - 1.
std::uint64_t largest_rank_distance(RankDistance distance, std::size_t permutants);

}  // namespace warpdex::metric
