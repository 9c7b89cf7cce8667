// Launches a batch's kernels, whose first argument is the struct of their stage. Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {

/// Launches a kernel of a stage that begins with wait_for_previous(). Throws CudaError with the
/// kernel's name if it cannot start.
template <class Stage, class... Arguments>
void launch(const char* name, void (*kernel)(Stage, Arguments...), dim3 ctas, std::uint32_t threads,
            std::size_t bytes, cudaStream_t stream, const std::type_identity_t<Stage>& stage,
            const std::type_identity_t<Arguments>&... arguments) {
  warpdex::launch({name, ctas, threads, bytes, stream, stage.overlaps_launches}, kernel, stage,
                  arguments...);
}

}  // namespace warpdex::gpu
