// All rows within a radius of each query: counted, then listed, then compared in the canonical
// order.
#pragma once

#include <span>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/workspace.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// As GpuFlatSearcher::within(), of checked arguments.
RangeNeighbors search_range(const GpuRows& rows, WorkspacePool& pool,
                            std::span<const float> queries, float radius, const RowFilter* filter);

}  // namespace warpdex::vector
