// Whether a GPU can search, and whether the CPU may take over. Internal.
#pragma once

#include <optional>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/gpu.hpp"

namespace warpdex {

/// `wanted`, or GPU 0. Throws CudaError, which says why, if it cannot search.
Gpu usable_gpu(const std::optional<Gpu>& wanted);
/// Likewise all of them, or GPU 0 if there are none.
std::vector<Gpu> usable_gpus(const std::vector<Gpu>& wanted);

/// Whether the GPU, or its memory, is what failed.
bool is_of_gpu(const Error& error);

}  // namespace warpdex
