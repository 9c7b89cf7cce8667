// Lays out the memory that the kernels of a batch write. Internal.
#pragma once

#include <cstddef>

#include "gpu/layout/batch.hpp"
#include "gpu/run/batch_plan.hpp"

namespace warpdex::gpu {

/// Each function lays out one region of a batch's memory from `begin` on, fills in its pointers,
/// and returns its bytes. Pointers that all stages share go to `stages.rounds`; complete() copies
/// them. If `begin` is null, only the bytes are valid.
std::size_t place_cleared(void* begin, const BatchPlan& plan, BatchStages& stages);
std::size_t place_tables(void* begin, const BatchPlan& plan, BatchStages& stages);
std::size_t place_documents(void* begin, const BatchPlan& plan, BatchStages& stages);

}  // namespace warpdex::gpu
