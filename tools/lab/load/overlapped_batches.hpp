// How long batches take on the GPU that overlap, as those of a loaded scheduler do.
#pragma once

#include <cstddef>
#include <span>

#include "warpdex/scheduler/calibration.hpp"

namespace warpdex::tools {

/// Queries of each batch.
inline constexpr std::size_t kOverlappedBatch = 1000;

/// Runs 8 batches of kOverlappedBatch queries of all classes, drawn at random from those that the
/// engine answered in `measurements`. Each is submitted while the one before it runs. Returns their
/// queries, batch by batch, and the time of all together: the median of several runs, the first not
/// counted. Empty if the engine answered none. Throws what the engine throws.
MeasuredBatch measure_overlapped(Engine& engine, std::span<const PlannedSearch> queries,
                                 const CostMeasurements& measurements,
                                 const MeasureSettings& settings);

}  // namespace warpdex::tools
