// What the time of the GPU engine's batches goes into: stages, one after the other, and within two
// of them phases, which warps go through beside each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex {

/// In the order of a batch.
enum class GpuStage {
  kBuild,    ///< the host: from plans to what the kernels read
  kUpload,   ///< copying it, and clearing what is to be counted
  kMatch,    ///< AND: decoding, intersecting and scoring
  kTables,   ///< OR: which blocks a tile meets
  kBounds,   ///< OR: bounds of tiles
  kPlan,     ///< OR: thresholds, and what is to be done with a round's tiles
  kFind,     ///< OR: finding the blocks that may decide
  kRead,     ///< OR: decoding and scoring these
  kLookups,  ///< OR: looking their documents up; in little memory kRead, too, of small batches all
  kTiles,    ///< OR: decoding and adding up whole tiles
  kFinish,   ///< exact scores of what is left, sorting, writing to the host
};
inline constexpr std::size_t kGpuStages = 11;
/// "build", "upload", …
std::string_view gpu_stage_name(GpuStage stage);

/// Of the two stages that do all of a search in one kernel, kMatch and kTiles: what a warp does.
enum class GpuPhase {
  kDecode,     ///< docIDs and values
  kIntersect,  ///< AND: finding blocks, and documents in them
  kScore,      ///< units of postings, and adding them up
  kSelect,     ///< taking what reaches the threshold to the candidates, raising the threshold
  kWait,       ///< for other warps
};
inline constexpr std::size_t kGpuPhases = 5;
/// "decode", "intersect", …
std::string_view gpu_phase_name(GpuPhase phase);

/// Cycles of warps, by GpuPhase. A read is waited for in the phase that uses it.
using PhaseCycles = std::array<std::uint64_t, kGpuPhases>;

}  // namespace warpdex
