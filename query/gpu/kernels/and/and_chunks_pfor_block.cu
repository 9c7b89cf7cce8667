// AND over lists of `pfor-block`.
#include "gpu/kernels/and/and_kernel.cuh"

namespace warpdex::gpu {

template void launch_and_ranges<CodecKind::kPforBlock>(const AndBatch&, std::uint32_t,
                                                       std::uint32_t, cudaStream_t);

}  // namespace warpdex::gpu
