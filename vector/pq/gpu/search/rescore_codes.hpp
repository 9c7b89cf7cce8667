// Candidates get their canonical distances, by tables, and the nearest become answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/match.hpp"
#include "pq/gpu/search/table_scan.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct RescoreCodesTask {
  DeviceCodes codes;
  DeviceQueries queries;
  const float* vectors;  ///< of make_query_vectors()
  CandidateLists lists;  ///< as match_codes() has them
  const std::uint32_t* is_open;
  const float* tables;  ///< of each query, code bytes * 256; null: they are made
  DeviceAnswers answers;
};

/// Shared memory that a CTA needs for codes of so many bytes and up to k answers.
std::size_t rescore_codes_bytes(std::uint32_t code_bytes, std::size_t k);

/// Queues, for each query that is not open, the ranking of its candidates: the k nearest become its
/// answers. k up to kMaxProductNeighbors.
/// O(256 * dimension + candidates * (dimension + bytes)) a query.
void rescore_codes(const RescoreCodesTask& task, const Stream& stream);

}  // namespace warpdex::vector
