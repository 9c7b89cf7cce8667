// Ranks candidates again by the vectors themselves.
#pragma once

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/workspace.hpp"

namespace warpdex::vector {

/// Queues the canonical distances of each query's `candidates` (ids are rows of `rows`) and the
/// selection of the k nearest as `answers`. `values` is scratch memory for a float a candidate.
/// O(candidates * dimension).
void refine(const DeviceRows& rows, bool is_l2, const DeviceQueries& queries,
            const DeviceAnswers& candidates, float* values, const DeviceAnswers& answers,
            Workspace& workspace);

}  // namespace warpdex::vector
