// Lays out what the kernels of a batch write. Internal.
#pragma once

#include <cstddef>

#include "gpu/layout/batch.hpp"
#include "gpu/run/batch_plan.hpp"

namespace warpdex::gpu {

/// Each lays out one piece of a batch from `begin` on, fills in its pointers, and returns its
/// bytes. Those that all stages share go to `stages.rounds`; complete() copies them. If `begin` is
/// null, only the bytes are of use.
std::size_t place_cleared(void* begin, const BatchPlan& plan, BatchStages& stages);
std::size_t place_tables(void* begin, const BatchPlan& plan, BatchStages& stages);
std::size_t place_documents(void* begin, const BatchPlan& plan, BatchStages& stages);

}  // namespace warpdex::gpu
