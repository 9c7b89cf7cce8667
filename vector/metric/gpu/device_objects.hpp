// Objects, queries and pairs of them as kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

/// Units of a text stand in groups, the last of which is filled up with zeros.
inline constexpr std::uint32_t kGroupUnits = 16;
/// A unit of a query that no object has.
inline constexpr std::uint32_t kUnknownUnit = ~0U;
/// Units that one word of bits stands for.
inline constexpr std::uint32_t kBandUnits = 64;
/// Vectors of queries that a warp compares its rows with at once, where there are many.
inline constexpr std::uint32_t kQueriesOfTile = 4;

/// Where a text is.
struct alignas(16) TextPlace {
  std::uint64_t group = 0;  ///< its first
  std::uint32_t units = 0;
  std::uint32_t unused = 0;
};

/// All objects. Which members are set depends on the distance.
struct DeviceObjects {
  DistanceKind distance = DistanceKind::kLevenshtein;
  std::uint32_t count = 0;
  /// Texts: groups of 16 units, a unit a byte or, if `is_wide`, four.
  const void* groups = nullptr;
  const TextPlace* places = nullptr;
  bool is_wide = false;
  std::uint32_t longest = 0;  ///< units
  /// Sets: as in ObjectsView.
  const std::uint64_t* set_begins = nullptr;
  const std::uint32_t* set_words = nullptr;
  /// Vectors: rows without padding.
  const float* vectors = nullptr;
  std::uint32_t dimension = 0;
};

/// Queries, of which query i has the values [begins[i], begins[i + 1]).
struct DeviceQueries {
  const std::uint64_t* begins = nullptr;
  /// kLevenshtein: a unit each. kHamming: four bytes each, as many as fill up groups. kJaccard:
  /// numbers of words, ascending.
  const std::uint32_t* values = nullptr;
  const std::uint32_t* unknown = nullptr;  ///< kJaccard: words of the query that no object has
  const float* vectors = nullptr;          ///< rows of `stride` floats, padded with zeros
  std::uint32_t stride = 0;
};

/// The distances of some queries to objects: out[q * out_stride + i] is that of query q to object
/// list[q * list_stride + i], or to object i where there is no list.
struct PairTask {
  DeviceObjects objects;
  DeviceQueries queries;
  std::uint32_t query_count = 0;
  const std::uint32_t* list = nullptr;
  std::uint64_t list_stride = 0;  ///< 0: one list for all queries
  std::uint32_t count = 0;        ///< of objects for each query
  float* out = nullptr;
  std::uint64_t out_stride = 0;
  float limit = kNoLimit;  ///< what is past it may become any larger number
};

}  // namespace warpdex::metric
