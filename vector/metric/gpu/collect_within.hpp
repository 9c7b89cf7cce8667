// The pairs whose distance is within a radius.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/select/selected_entry.hpp"

namespace warpdex::metric {

/// Distances of some queries to objects, as PairTask has them.
struct PairDistances {
  const float* values = nullptr;
  std::uint64_t stride = 0;
  const std::uint32_t* list = nullptr;  ///< null: the objects in order
  std::uint64_t list_stride = 0;
  std::uint32_t count = 0;
  std::uint32_t query_count = 0;
};

/// Queues the collection of all pairs of at most `radius`: `total` is how many there are, which may
/// be more than the `capacity` that are written, in any order. An entry's row is the query, its
/// code the bits of the distance, its id the object.
void collect_within(const PairDistances& distances, float radius, SelectedEntry* entries,
                    std::uint32_t capacity, unsigned long long* total, const Stream& stream);

}  // namespace warpdex::metric
