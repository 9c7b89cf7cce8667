// AND over lists of `pfor` with up to one level.
#include "gpu/kernels/and/and_kernel.cuh"

namespace warpdex::gpu {

template void launch_and_ranges<CodecKind::kPfor>(const AndBatch&, std::uint32_t, std::uint32_t,
                                                  cudaStream_t);

}  // namespace warpdex::gpu
