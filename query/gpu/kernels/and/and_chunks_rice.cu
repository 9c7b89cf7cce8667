// AND over lists of `rice`.
#include "gpu/kernels/and/and_kernel.cuh"

namespace warpdex::gpu {

template void launch_and_ranges<CodecKind::kRice>(const AndBatch&, std::uint32_t, std::uint32_t,
                                                  cudaStream_t);

}  // namespace warpdex::gpu
