// For the library's own GPU code (builds with CUDA only).
#pragma once

namespace warpdex {

/// Whether a kernel may start while the one before ends (Launch::overlaps). That depends on the GPU
/// and on the architecture that the kernels were compiled for. Throws CudaError.
bool launches_may_overlap();

}  // namespace warpdex
