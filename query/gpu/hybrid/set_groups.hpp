// How the vectors of sets of documents are searched on a GPU: for few queries or small sets their
// rows are read, else all rows are searched for all queries together, and filtered. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpdex::gpu {

/// The queries, in two groups.
struct SetGroups {
  std::vector<std::uint32_t> few;   ///< whose rows are read
  std::vector<std::uint32_t> many;  ///< that are searched among all rows, then filtered
  std::size_t wide_k = 0;           ///< of `many`: GpuSegmentSearcher::nearest_passing()
};

/// For the k nearest of each query, whose set has about `shares[query]` of `documents`, each with
/// `row_bytes` of vectors. Both groups give the same answers. O(queries).
SetGroups group_sets(std::span<const double> shares, std::uint32_t k, double documents,
                     double row_bytes);

}  // namespace warpdex::gpu
