// How many tiles the rounds of OR take. Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::gpu {

/// If k is this or more, the first round takes more tiles.
inline constexpr std::uint32_t kFewRoundAnswers = 64;
/// In batches of so many queries, each of a few tiles has work for several multiprocessors.
inline constexpr std::uint32_t kManyRoundQueries = 2048;

/// How many of a query's `tiles` the rounds up to `round` take: few at first, to raise the
/// threshold (more if k is large), then many.
WARPDEX_HOST_DEVICE inline std::uint32_t tiles_up_to(const OrRounds& batch, std::uint32_t tiles,
                                                     std::uint32_t round) {
  if (round + 1 >= batch.round_count) return tiles;
  if (batch.round_count == 2) return tiles / (batch.k < kFewRoundAnswers ? 48 : 20) + 2;
  return round == 0 ? tiles / 128 + 2 : tiles / 12 + 4;
}

/// Whether queries that are searched in decoded lists take the same tiles in the first round. The
/// tiles with each query's highest bounds would raise its threshold a little more. But then each
/// tile would have few queries, and its bit sets would be made for those alone.
WARPDEX_HOST_DEVICE inline bool shares_first_tiles(const OrRounds& batch) {
  return batch.round_count == 2 && batch.k < kFewRoundAnswers &&
         batch.or_queries >= kManyRoundQueries;
}

}  // namespace warpdex::gpu
