// Drops candidates once enough others are certainly nearer.
#pragma once

#include <cstdint>

#include "flat/gpu/match.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct TightenTask {
  CandidateLists lists;
  std::uint32_t query_count;
  std::uint32_t k;
  /// Of all rows, from the first panel on; null: they have none.
  const float* row_slacks;
  QueryPanels queries;
  /// Candidates that every list has, whatever its count says; 0: as many as counted.
  std::uint32_t given_count;
  bool overlaps = false;  ///< Launch::overlaps
};

/// Lists have a power of two of places, from 512 up to this.
inline constexpr std::uint32_t kMaxListCapacity = 16384;

/// Queues the emptying of all lists.
void clear_counts(const CandidateLists& lists, std::uint32_t query_count, const Stream& stream);

/// Queues, for each query: a limit is found that k candidates are certainly within, the query's
/// limit lowered to it, and candidates with larger sums are taken off the list. A query whose list
/// was too short becomes open (QueryPanels). O(candidates).
void tighten(const TightenTask& task, const Stream& stream);

}  // namespace warpdex::vector
