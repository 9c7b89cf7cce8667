// What comparing a query with codes needs: its vector, its tables, and its lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lists/gpu/probe_groups.hpp"
#include "pq/gpu/search/code_data.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Some of the queries of a search. Slot s of what is made for them is that of query which[s] or,
/// if that is null, of first + s.
struct ChosenQueries {
  const std::uint32_t* which = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 1 to 65,535

  WARPDEX_HOST_DEVICE std::uint32_t query(std::uint32_t slot) const {
    return which == nullptr ? first + slot : which[slot];
  }
};

/// Queues the making of the vectors that tables and products are made of: for l2 -2 times the query
/// less the centre, else -1 times the query; rotated. `vectors` and, where there is a rotation,
/// `moved` have rows of queries.stride floats, with zeros behind the dimension.
void make_query_vectors(const DeviceCodes& codes, const DeviceQueries& queries, float* moved,
                        float* vectors, const Stream& stream);

/// What the scan of a query's lists needs, a slot a query.
struct QueryTables {
  float* tables = nullptr;        ///< bytes * 256 entries each
  float* bases = nullptr;         ///< canonical distances to the centroids of the lists, `probes`
  std::uint32_t* ends = nullptr;  ///< [p]: groups of the first p + 1 lists
  unsigned long long* bounds = nullptr;  ///< an entry that k others are not behind; none yet
  std::uint32_t* finished = nullptr;     ///< CTAs that have handed in; 0
};

/// The first `used` lists of each query.
struct TablesTask {
  DeviceCodes codes;
  DeviceQueries queries;
  const float* vectors;  ///< of make_query_vectors()
  DeviceProbes probed;
  std::uint32_t used;
  ChosenQueries chosen;
  QueryTables made;
};

/// Queues all of it. O(256 * dimension + used * dimension) a query.
void make_query_tables(const TablesTask& task, const Stream& stream);

}  // namespace warpdex::vector
