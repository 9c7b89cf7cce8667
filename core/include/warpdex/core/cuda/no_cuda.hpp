// What the GPU types of a build without CUDA do. Internal.
#pragma once

#include "warpdex/core/cuda/device.hpp"

namespace warpdex {

/// Throws the CudaError that says that this build has no GPU parts.
[[noreturn]] inline void refuse_without_cuda() {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

}  // namespace warpdex
