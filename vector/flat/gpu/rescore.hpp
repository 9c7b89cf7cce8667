// Candidates get their canonical distances, and the nearest become answers.
#pragma once

#include <cstdint>

#include "flat/gpu/match.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct RescoreTask {
  DeviceRows rows;
  DeviceChoice choice;
  TileOrder order;
  DeviceQueries queries;
  bool is_l2;
  CandidateLists lists;
  const std::uint32_t* is_open;  ///< of QueryPanels; may be null for rescore_all()
  bool overlaps = false;         ///< Launch::overlaps, of rescore()
};

/// Queues, for each query, the ranking of its candidates and of what `answers` holds already (if
/// `has_answers`): the k nearest replace it. Answers of open queries stay, or become missing. k up
/// to kBlockSelectLimit (core/select). O(candidates * dimension).
void rescore(const RescoreTask& task, const DeviceAnswers& answers, bool has_answers,
             const Stream& stream);

/// Queues the canonical distances of all candidates, of lists whose places are set by `begins`:
/// keys[i] of candidate i is an order_key() of value and id. `total` is the last of the begins.
void rescore_all(const RescoreTask& task, std::uint64_t total, std::uint64_t* keys,
                 const Stream& stream);

}  // namespace warpdex::vector
