// Names the parts of a batch's time on the GPU: stages, which follow each other, and, within two of
// the stages, phases of the warps, which run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex {

/// In the order of a batch.
enum class GpuStage {
  kBuild,    ///< on the host: making the image from plans
  kUpload,   ///< copying the image and clearing the counters
  kMatch,    ///< AND: decoding, intersecting and scoring
  kTables,   ///< OR: the first block of each list in each tile
  kBounds,   ///< OR: upper bounds of tiles
  kPlan,     ///< OR: raising thresholds, and choosing how to answer a round's tiles
  kFind,     ///< OR: finding competitive blocks
  kRead,     ///< OR: decoding and scoring these
  kLookups,  ///< OR: looking up their documents (part of kRead if memory is short); for small
             ///< batches, all of OR
  kTiles,    ///< OR: decoding and accumulating whole tiles
  kFinish,   ///< exact scores of the survivors, sorting, writing to the host
};
inline constexpr std::size_t kGpuStages = 11;
/// "build", "upload", …
std::string_view gpu_stage_name(GpuStage stage);

/// What a warp does in the two stages that search in one kernel, kMatch and kTiles.
enum class GpuPhase {
  kDecode,     ///< decoding docIDs and values
  kIntersect,  ///< AND: finding blocks, and documents in them
  kScore,      ///< computing and adding units
  kSelect,     ///< appending candidates and raising the threshold
  kWait,       ///< waiting for other warps
};
inline constexpr std::size_t kGpuPhases = 5;
/// "decode", "intersect", …
std::string_view gpu_phase_name(GpuPhase phase);

/// Cycles of warps, by GpuPhase. Waiting for memory counts in the phase that uses the data.
using PhaseCycles = std::array<std::uint64_t, kGpuPhases>;

}  // namespace warpdex
