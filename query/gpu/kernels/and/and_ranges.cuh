// Launches AND over lists of one codec. Each codec's kernels are compiled by a source of their own,
// since they take long. Internal to kernels/and/.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/layout/batch.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::gpu {

/// Launches AND of `count` block ranges from number `first` on. Throws CudaError if it cannot
/// start.
template <CodecKind kCodec>
void launch_and_ranges(const AndBatch& batch, std::uint32_t first, std::uint32_t count,
                       cudaStream_t stream);

}  // namespace warpdex::gpu
