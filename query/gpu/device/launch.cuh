// Launches a batch's kernels, whose first argument is the batch. Internal.
#pragma once

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {

/// Launches a kernel that begins with wait_for_previous(). Throws CudaError with the kernel's name
/// if it cannot start.
template <class... Arguments>
void launch(const char* name, void (*kernel)(Batch, Arguments...), dim3 ctas, std::uint32_t threads,
            std::size_t bytes, cudaStream_t stream, const Batch& batch,
            const std::type_identity_t<Arguments>&... arguments) {
  warpdex::launch({name, ctas, threads, bytes, stream, batch.overlaps_launches}, kernel, batch,
                  arguments...);
}

}  // namespace warpdex::gpu
